# Fails where configuring does not say that an NCCL is too old, or takes it all the same.
# Run: cmake -DROOT=<tree> -DFOLDER=<scratch> -P check_nccl.cmake
include(${ROOT}/cmake/ScalestudyNccl.cmake)

function(write_header version)
  string(REPLACE "." ";" parts ${version})
  list(GET parts 0 major)
  list(GET parts 1 minor)
  list(GET parts 2 patch)
  file(WRITE ${FOLDER}/nccl.h
       "#define NCCL_MAJOR ${major}\n#define NCCL_MINOR ${minor}\n#define NCCL_PATCH ${patch}\n"
       "#define NCCL_VERSION_CODE 1\n")
endfunction()

# Shapes of versions: 2.9 is older than 2.18, 3.0 newer.
foreach(pair IN ITEMS "2.17.1=old" "2.9.9=old" "1.99.0=old" "2.18.0=" "2.28.9=" "3.0.0=")
  string(REGEX MATCH "^(.*)=(.*)$" all ${pair})
  set(expected ${CMAKE_MATCH_2})
  set(version ${CMAKE_MATCH_1})
  write_header(${version})
  scalestudy_nccl_fault(${FOLDER}/nccl.h fault)
  if(expected AND NOT fault STREQUAL "NCCL 2.18 or newer (${FOLDER}/nccl.h is of ${version})")
    message(FATAL_ERROR "NCCL ${version}: '${fault}'")
  elseif(NOT expected AND fault)
    message(FATAL_ERROR "NCCL ${version}: '${fault}'")
  endif()
endforeach()
file(WRITE ${FOLDER}/nccl.h "// no version\n")
scalestudy_nccl_fault(${FOLDER}/nccl.h fault)
if(NOT fault STREQUAL "NCCL 2.18 or newer (${FOLDER}/nccl.h names no version)")
  message(FATAL_ERROR "no version: '${fault}'")
endif()

# What becomes of it when the tree is configured: without CUDA, or not at all.
write_header(2.16.5)
file(WRITE ${FOLDER}/libnccl.so "")
file(WRITE ${FOLDER}/cudnn.h "")
file(WRITE ${FOLDER}/project/CMakeLists.txt
     "cmake_minimum_required(VERSION 3.25)\nproject(old LANGUAGES NONE)\n"
     "list(APPEND CMAKE_MODULE_PATH ${ROOT}/cmake)\n"
     "set(CUDAToolkit_FOUND ON)\n" # where there is none
     "include(ScalestudyCuda)\n"
     "message(STATUS \"CUDA \${SCALESTUDY_CUDA_FOUND}, \${SCALESTUDY_CUDA_SUMMARY}\")\n")
foreach(enable IN ITEMS AUTO ON)
  file(REMOVE_RECURSE ${FOLDER}/build)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -S ${FOLDER}/project -B ${FOLDER}/build -DSCALESTUDY_ENABLE_CUDA=${enable}
            -DNCCL_INCLUDE_DIR=${FOLDER} -DNCCL_LIBRARY=${FOLDER}/libnccl.so
            -DCUDNN_INCLUDE_DIR=${FOLDER} -DCUDNN_LIBRARY=${FOLDER}/libnccl.so
    RESULT_VARIABLE code OUTPUT_VARIABLE told ERROR_VARIABLE told)
  string(REGEX REPLACE "[ \n]+" " " told "${told}")
  set(fault "NCCL 2.18 or newer (${FOLDER}/nccl.h is of 2.16.5)")
  if(enable STREQUAL "AUTO")
    set(expected "CUDA OFF, not built: ${fault} not found")
  else()
    set(expected "SCALESTUDY_ENABLE_CUDA is ON and was not found: ${fault}.")
  endif()
  string(FIND "${told}" "${expected}" at)
  if(at EQUAL -1 OR (enable STREQUAL "AUTO" AND NOT code EQUAL 0) OR (enable STREQUAL "ON" AND code EQUAL 0))
    message(FATAL_ERROR "SCALESTUDY_ENABLE_CUDA=${enable}: exit ${code}, not '${expected}' in: ${told}")
  endif()
endforeach()
