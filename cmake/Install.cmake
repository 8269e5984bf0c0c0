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

archive(libtenure tenure tenure tenure_core tenure_redis tenure_runtime tenure_redis_net tenure_api)
target_compile_features(libtenure INTERFACE cxx_std_20)
target_include_directories(libtenure INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                               $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
# The headers show tl::expected. What is private is needed only to link.
target_link_libraries(libtenure PUBLIC tl::expected PRIVATE Threads::Threads OpenSSL::SSL PkgConfig::hiredis)

# Who only locks, or takes part in elections or fleets, needs neither what polls nor libcurl.
archive(libtenure_poll tenure-poll poll tenure_process tenure_json tenure_poll tenure_redis_poll tenure_api_poll)
target_link_libraries(libtenure_poll PUBLIC libtenure PRIVATE CURL::libcurl)

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

install(TARGETS libtenure EXPORT tenureTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS libtenure_poll EXPORT tenurePollTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS tenure RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# Where src/cli/fleet_program.cpp looks for it.
install(TARGETS tenure-fleet RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/tenure)
install(DIRECTORY include/tenure DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.hpp)
install(EXPORT tenureTargets NAMESPACE tenure:: DESTINATION ${cmake_folder})
install(EXPORT tenurePollTargets NAMESPACE tenure:: DESTINATION ${cmake_folder})
install(FILES ${PROJECT_BINARY_DIR}/tenureConfig.cmake ${PROJECT_BINARY_DIR}/tenureConfigVersion.cmake
        DESTINATION ${cmake_folder})
install(FILES ${PROJECT_BINARY_DIR}/tenure.pc ${PROJECT_BINARY_DIR}/tenure-poll.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES README.md CHANGELOG.md ARCHITECTURE.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN *.md)
