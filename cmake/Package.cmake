# Two Debian packages by CPack: tenure, the program, and libtenure-dev, the library for who compiles against it. There are no
# maintainer scripts that start or enable anything: units (deploy/systemd) are files until somebody enables one.
set(maintainer "Tenure contributors <maintainers@tenure.invalid>")
set(folder ${PROJECT_BINARY_DIR}/debian)
file(MAKE_DIRECTORY ${folder})

# The time of the last commit, so that the same tree packs to the same bytes.
set(date $ENV{SOURCE_DATE_EPOCH})
if(NOT date)
  execute_process(COMMAND git log -1 --format=%ct WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE date
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT date)
  string(TIMESTAMP date "%s" UTC)
endif()
execute_process(COMMAND date --utc --rfc-email --date=@${date} OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)

# compressed(from to): gzip that says neither name nor time.
function(compressed from to)
  execute_process(COMMAND gzip -9 -n -c ${from} OUTPUT_FILE ${to} COMMAND_ERROR_IS_FATAL ANY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${from})
endfunction()

set(revision 1)
configure_file(cmake/debian/changelog.in ${folder}/changelog.Debian @ONLY)
compressed(${folder}/changelog.Debian ${folder}/changelog.Debian.gz)
compressed(${PROJECT_SOURCE_DIR}/CHANGELOG.md ${folder}/changelog.gz)
file(READ LICENSE license)
configure_file(cmake/debian/copyright.in ${folder}/copyright @ONLY)

# of_debian(package component): what every package of Debian has under its own name.
function(of_debian package component)
  install(FILES ${folder}/changelog.Debian.gz ${folder}/changelog.gz ${folder}/copyright
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
  configure_file(cmake/debian/lintian-overrides.in ${folder}/${package} @ONLY)
  install(FILES ${folder}/${package} DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides COMPONENT ${component})
endfunction()
of_debian(tenure program)
of_debian(libtenure-dev development)

set(CPACK_GENERATOR DEB)
set(CPACK_OUTPUT_FILE_PREFIX ${PROJECT_SOURCE_DIR}/build/packages)
set(CPACK_PACKAGE_CONTACT "${maintainer}")
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL program development)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
                                                WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE ${revision})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME tenure)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
# For tenure redis up. Not as Recommends: it would start a server on its standard port.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "redis-server | valkey-server, libtenure-dev")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
    "distributed locks, leader election and work sharing on Redis or PostgreSQL
tenure runs a command while it holds a name, so that of all commands under
the same name, on any machine, at most one runs at a time. It elects a leader
among several instances, and shares sessions to be polled evenly between the
instances of a fleet.

Every grant carries a fencing token that only grows. A lease that cannot be
renewed ends the command before anybody else can get the name, and a server
that may have forgotten leases, because it was restarted, promoted or restored,
is noticed.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libtenure-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libexpected-dev, libhiredis-dev, libssl-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS "libcurl4-openssl-dev, libpq-dev, libyaml-dev, pkgconf")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "libboost-dev, tenure")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
    "distributed locks, leader election and work sharing (C++ library)
The C++20 library behind the program tenure: locks with leases and fencing
tokens on one Redis or PostgreSQL or on a majority of several, leader election,
and fleets that share work evenly; blocking, in an event loop, or with
coroutines.

This package has headers, static libraries, and what CMake and pkg-config
find them by. The parts that poll, and for Consul and Kubernetes, need libcurl,
that for Kubernetes libyaml as well, and that for PostgreSQL libpq.")

include(CPack)
