# What others get: the library, what polls apart from it, its headers, the program, and what CMake and pkg-config find them by.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
find_package(tl-expected REQUIRED)
pkg_check_modules(hiredis REQUIRED IMPORTED_TARGET hiredis)

# archive(target name component layers…): the objects of these layers in one archive, lib<name>.a, which is
# tenure::<component>. It knows nothing of tenure_flags, so its users do not inherit them.
function(archive target name component)
  list(TRANSFORM ARGN REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
  add_library(${target} STATIC ${objects})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} EXPORT_NAME ${component} LINKER_LANGUAGE CXX)
  add_library(tenure::${component} ALIAS ${target})
endfunction()

archive(libtenure tenure tenure tenure_core tenure_redis tenure_postgres tenure_runtime tenure_redis_net
        tenure_metrics tenure_api)
target_compile_features(libtenure INTERFACE cxx_std_20)
target_include_directories(libtenure INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                               $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
# The headers show tl::expected. What is private is needed only to link.
target_link_libraries(libtenure PUBLIC tl::expected PRIVATE Threads::Threads OpenSSL::SSL PkgConfig::hiredis)

# Who only locks, or takes part in elections or fleets, needs neither what polls nor libcurl.
archive(libtenure_poll tenure-poll poll tenure_process tenure_json tenure_json_text tenure_poll tenure_redis_poll tenure_postgres_poll
        tenure_api_poll)
target_link_libraries(libtenure_poll PUBLIC libtenure PRIVATE CURL::libcurl)

# Nor libpq, unless it names nodes of PostgreSQL. Nobody calls what is in there by name but the library itself, so the linker is
# told to look.
archive(libtenure_postgresql tenure-postgresql postgresql tenure_postgres_net tenure_api_postgres)
target_link_libraries(libtenure_postgresql PUBLIC libtenure PRIVATE PkgConfig::libpq)
target_link_options(libtenure_postgresql INTERFACE LINKER:--undefined=tenure_open_postgresql)

# Nor libyaml, unless it names a Kubernetes. What speaks HTTP and JSON is in each archive that needs it: of one that is linked twice,
# the first counts.
archive(libtenure_kubernetes tenure-kubernetes kubernetes tenure_json_text tenure_http_client tenure_kubernetes tenure_kubernetes_net
        tenure_api_kubernetes)
target_link_libraries(libtenure_kubernetes PUBLIC libtenure PRIVATE CURL::libcurl PkgConfig::yaml)
target_link_options(libtenure_kubernetes INTERFACE LINKER:--undefined=tenure_open_kubernetes)
# Likewise for Consul, which is reached by HTTP and speaks JSON.
archive(libtenure_consul tenure-consul consul tenure_json tenure_json_text tenure_http_client tenure_consul
        tenure_consul_net tenure_api_consul)
target_link_libraries(libtenure_consul PUBLIC libtenure PRIVATE CURL::libcurl OpenSSL::SSL)
target_link_options(libtenure_consul INTERFACE LINKER:--undefined=tenure_open_consul)

set(cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/tenure)
configure_package_config_file(cmake/tenureConfig.cmake.in ${PROJECT_BINARY_DIR}/tenureConfig.cmake
                              INSTALL_DESTINATION ${cmake_folder})
# Before 1.0 a new minor version may break what was.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tenureConfigVersion.cmake COMPATIBILITY SameMinorVersion)
# The same for pkg-config. Not as Requires: it would give everybody the include folders and definitions of those.
list(FILTER hiredis_LDFLAGS EXCLUDE REGEX "^-L/usr/lib$")
list(JOIN hiredis_LDFLAGS " " libs_needed)
# Where the prefix is, seen from the .pc file: the tree may be moved, and --prefix may differ from what was configured.
file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" up ${up})
configure_file(cmake/tenure.pc.in ${PROJECT_BINARY_DIR}/tenure.pc @ONLY)
configure_file(cmake/tenure-poll.pc.in ${PROJECT_BINARY_DIR}/tenure-poll.pc @ONLY)
configure_file(cmake/tenure-postgresql.pc.in ${PROJECT_BINARY_DIR}/tenure-postgresql.pc @ONLY)
configure_file(cmake/tenure-kubernetes.pc.in ${PROJECT_BINARY_DIR}/tenure-kubernetes.pc @ONLY)
configure_file(cmake/tenure-consul.pc.in ${PROJECT_BINARY_DIR}/tenure-consul.pc @ONLY)

# Of two components, which become two packages (Package.cmake): program, and development for who compiles against the library.
install(TARGETS libtenure EXPORT tenureTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(TARGETS libtenure_poll EXPORT tenurePollTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(TARGETS libtenure_postgresql EXPORT tenurePostgresqlTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        COMPONENT development)
install(TARGETS libtenure_kubernetes EXPORT tenureKubernetesTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        COMPONENT development)
install(TARGETS libtenure_consul EXPORT tenureConsulTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        COMPONENT development)
install(TARGETS tenure RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
# Where src/cli/fleet_program.cpp looks for it.
install(TARGETS tenure-fleet RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/tenure COMPONENT program)
# All of these: what is built for ./dev install and ./dev package. tests/install compares.
add_custom_target(installed DEPENDS libtenure libtenure_poll libtenure_postgresql libtenure_kubernetes libtenure_consul tenure
                  tenure-fleet)
install(DIRECTORY include/tenure DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development FILES_MATCHING PATTERN *.hpp)
install(EXPORT tenureTargets NAMESPACE tenure:: DESTINATION ${cmake_folder} COMPONENT development)
install(EXPORT tenurePollTargets NAMESPACE tenure:: DESTINATION ${cmake_folder} COMPONENT development)
install(EXPORT tenurePostgresqlTargets NAMESPACE tenure:: DESTINATION ${cmake_folder} COMPONENT development)
install(EXPORT tenureKubernetesTargets NAMESPACE tenure:: DESTINATION ${cmake_folder} COMPONENT development)
install(EXPORT tenureConsulTargets NAMESPACE tenure:: DESTINATION ${cmake_folder} COMPONENT development)
install(FILES ${PROJECT_BINARY_DIR}/tenureConfig.cmake ${PROJECT_BINARY_DIR}/tenureConfigVersion.cmake
        DESTINATION ${cmake_folder} COMPONENT development)
install(FILES ${PROJECT_BINARY_DIR}/tenure.pc ${PROJECT_BINARY_DIR}/tenure-poll.pc ${PROJECT_BINARY_DIR}/tenure-postgresql.pc
        ${PROJECT_BINARY_DIR}/tenure-kubernetes.pc ${PROJECT_BINARY_DIR}/tenure-consul.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
install(FILES README.md ARCHITECTURE.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program FILES_MATCHING PATTERN *.md)
# A package has both under the names that Debian gives them.
install(FILES CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT unpackaged)
# systemd looks there under /usr and /usr/local, and for the program in the bin of either. Nothing is started or enabled.
install(FILES deploy/systemd/tenure@.service deploy/systemd/tenure-poll.service DESTINATION lib/systemd/system
        COMPONENT program)
# Made from tenure --help (src/cli/pages).
set(pages ${PROJECT_BINARY_DIR}/pages)
install(DIRECTORY ${pages}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program FILES_MATCHING PATTERN *.1.gz)
install(FILES ${pages}/completions/bash/tenure DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        COMPONENT program)
install(FILES ${pages}/completions/fish/tenure.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
        COMPONENT program)
# The folder for what packages bring is another one than that for what people install themselves.
set(zsh_folder zsh/site-functions)
if(TENURE_PACKAGE)
  set(zsh_folder zsh/vendor-completions)
endif()
install(FILES ${pages}/completions/zsh/_tenure DESTINATION ${CMAKE_INSTALL_DATADIR}/${zsh_folder} COMPONENT program)
