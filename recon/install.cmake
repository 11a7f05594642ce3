# What `cmake --install` puts where: the program, its manual page, completion and documents, the
# library, its headers, and a CMake package.
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

# --- completion, which the program makes of its options, and the manual page, docs/options.md -----
set(LSRECON_ZSH_COMPLETIONS ${CMAKE_INSTALL_DATADIR}/zsh/site-functions
    CACHE STRING "Folder below the prefix where zsh finds completions")
set(pages ${PROJECT_BINARY_DIR}/pages_to_install)
install(CODE "file(MAKE_DIRECTORY \"${pages}\")
execute_process(COMMAND \"$<TARGET_FILE:lsrecon>\" --write-completions \"${pages}\"
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND sphinx-build -Q -b man -D release=${PROJECT_VERSION}
                        \"${PROJECT_SOURCE_DIR}/docs\" \"${pages}\" RESULT_VARIABLE failed)
if(failed)
  message(STATUS \"No manual page: it takes Sphinx and MyST (\${failed})\")
endif()")
install(FILES ${pages}/lsrecon.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
install(FILES ${pages}/lsrecon.bash RENAME lsrecon
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${pages}/_lsrecon DESTINATION ${LSRECON_ZSH_COMPLETIONS})
install(FILES ${pages}/lsrecon.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# --- documents: the site where scripts/docs.sh has built one, else its sources --------------------
install(CODE "
set(to \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}\")
set(sites \"${PROJECT_BINARY_DIR}/docs\" \"${PROJECT_SOURCE_DIR}/build/docs\")
foreach(site IN LISTS sites)
  if(NOT found AND EXISTS \"\${site}/index.html\")
    set(found \"\${site}\")
  endif()
endforeach()
if(found)
  file(INSTALL \"\${found}/\" DESTINATION \"\${to}/html\" PATTERN .buildinfo EXCLUDE)
else()
  file(INSTALL \"${PROJECT_SOURCE_DIR}/docs/\" DESTINATION \"\${to}\"
       FILES_MATCHING PATTERN \"*.md\" PATTERN \"*.png\" PATTERN _static EXCLUDE)
endif()")
install(FILES ${PROJECT_SOURCE_DIR}/CITATION.cff ${PROJECT_SOURCE_DIR}/docs/schema.json
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
