# What `cmake --install` puts where: the program, the library, its headers, and a CMake package.
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/lsrecon)
set(header_folder ${CMAKE_INSTALL_INCLUDEDIR}/lsrecon)

install(TARGETS lsrecon RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS lsrecon_core lsrecon_library EXPORT lsreconTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(
  DIRECTORY ${CMAKE_CURRENT_LIST_DIR}/
  DESTINATION ${header_folder}
  FILES_MATCHING
  PATTERN "*.hpp"
  PATTERN "app" EXCLUDE
  PATTERN "opencl" EXCLUDE
  PATTERN "hdf5/types.hpp" EXCLUDE)
install(FILES ${PROJECT_BINARY_DIR}/generated/base/version.hpp DESTINATION ${header_folder}/base)
install(EXPORT lsreconTargets NAMESPACE lsrecon:: DESTINATION ${package_folder})

# A static library hands on everything that it links, so its package has to find it all.
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/lsreconConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/lsreconConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/lsreconConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/lsreconConfig.cmake
              ${PROJECT_BINARY_DIR}/lsreconConfigVersion.cmake DESTINATION ${package_folder})
