# Writes what built these binaries into a source file that harness and workloads both compile in.
# Configured anew when HEAD moves, so that the recorded revision is the built one.

set(SCALESTUDY_GIT_REVISION "unknown")
find_package(Git QUIET)
if(GIT_FOUND AND EXISTS ${PROJECT_SOURCE_DIR}/.git)
  execute_process(
    COMMAND ${GIT_EXECUTABLE} describe --always --dirty --abbrev=12
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    OUTPUT_VARIABLE SCALESTUDY_GIT_REVISION
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT SCALESTUDY_GIT_REVISION)
    set(SCALESTUDY_GIT_REVISION "unknown")
  endif()
  if(EXISTS ${PROJECT_SOURCE_DIR}/.git/logs/HEAD)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/.git/logs/HEAD)
  endif()
endif()
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type_upper)
string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type_upper}}" SCALESTUDY_CXX_FLAGS)
configure_file(${CMAKE_CURRENT_LIST_DIR}/scalestudy_build.h.in ${PROJECT_BINARY_DIR}/generated/scalestudy_build.h @ONLY)
