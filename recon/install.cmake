# What `cmake --install` puts where: the program, the library, its headers, and a CMake package.
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/lsrecon)
set(header_folder ${CMAKE_INSTALL_INCLUDEDIR}/lsrecon)

install(TARGETS lsrecon RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS lsrecon_core lsrecon_library EXPORT lsreconTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
# The library's face and what that includes, directly or not; no other header.
function(install_with_included header)
  get_property(installed GLOBAL PROPERTY lsrecon_headers)
  if(header IN_LIST installed OR NOT EXISTS ${CMAKE_CURRENT_LIST_DIR}/${header})
    return() # the version is generated
  endif()
  set_property(GLOBAL APPEND PROPERTY lsrecon_headers ${header})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${header} DESTINATION ${header_folder}/${folder})
  file(STRINGS ${header} lines REGEX "^#include \"")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^#include \"(.*)\".*" "\\1" included "${line}")
    install_with_included(${included})
  endforeach()
endfunction()
install_with_included(lsrecon.hpp)
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
