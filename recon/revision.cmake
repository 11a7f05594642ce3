# What 'lsrecon --version' says of its build. Included, this makes a target that asks git for the
# revision in every build; as a script it writes the one small source that holds the answer, and
# leaves it alone while the answer stays.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  get_cmake_property(variables CACHE_VARIABLES)
  list(FILTER variables INCLUDE REGEX "^LSRECON_WITH_")
  list(REMOVE_ITEM variables LSRECON_WITH_PYTHON) # which is beside the program
  set(names OPENCL OpenCL VKFFT VkFFT NIFTI NIfTI VOROPP Voro++ TBB oneTBB)
  foreach(variable IN LISTS variables)
    string(REPLACE LSRECON_WITH_ "" name ${variable})
    list(FIND names ${name} found)
    if(NOT found EQUAL -1)
      math(EXPR found "${found} + 1")
      list(GET names ${found} name)
    endif()
    if(${variable})
      list(APPEND with ${name})
    else()
      list(APPEND without ${name})
    endif()
  endforeach()
  list(JOIN with ", " with)
  list(JOIN without ", " without)
  set(build_source ${PROJECT_BINARY_DIR}/generated/build.cpp)
  add_custom_target(
    revision
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} "-DWITH=${with}" "-DWITHOUT=${without}"
            -DTO=${build_source} -P ${CMAKE_CURRENT_LIST_FILE}
    BYPRODUCTS ${build_source}
    VERBATIM)
  target_sources(lsrecon PRIVATE ${build_source})
  set_source_files_properties(${build_source} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  add_dependencies(lsrecon revision)
  return()
endif()

set(REVISION unknown)
# A source package may lie in a folder of another repository.
if(EXISTS ${SOURCE}/.git)
  execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
                  OUTPUT_VARIABLE described RESULT_VARIABLE failed ERROR_QUIET
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(failed EQUAL 0)
    set(REVISION ${described})
  endif()
endif()
cmake_path(GET CMAKE_CURRENT_LIST_FILE PARENT_PATH here)
configure_file(${here}/app/build.cpp.in ${TO} @ONLY)
