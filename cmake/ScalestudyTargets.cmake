# Functions for this project's targets: one library a folder, one executable a tested file.

add_library(scalestudy_warnings INTERFACE)
add_library(scalestudy::warnings ALIAS scalestudy_warnings)
target_compile_features(scalestudy_warnings INTERFACE cxx_std_20)
target_compile_options(
  scalestudy_warnings
  INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wconversion;-Wshadow;-Wnon-virtual-dtor>"
    "$<$<COMPILE_LANGUAGE:CUDA>:-std=c++20;--extended-lambda;-Xcompiler=-Wall,-Wextra>")
# Fewer collections of garbage: an eighth of the compiler's time for 0.15 GB more.
target_compile_options(
  scalestudy_warnings
  INTERFACE "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=400000>")
if(SCALESTUDY_WERROR)
  target_compile_options(
    scalestudy_warnings
    INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-Werror>"
              "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:--Werror all-warnings -Xcompiler=-Werror>")
endif()
if(SCALESTUDY_SANITIZE)
  target_compile_options(
    scalestudy_warnings
    INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${SCALESTUDY_SANITIZE};-fno-omit-frame-pointer>")
  # gcc 12 sees uninitialised members in std::regex once it is instrumented; there are none.
  target_compile_options(scalestudy_warnings INTERFACE "$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>")
  target_link_options(scalestudy_warnings INTERFACE -fsanitize=${SCALESTUDY_SANITIZE})
endif()

# Compiles these sources (full paths; by default those of `target`) as one unit a folder of `target` where SCALESTUDY_UNITY asks for it: less than half
# the time from cold, but a change costs the folder. What a file forgets to include, ./dev lint alone finds.
function(scalestudy_units target)
  if(NOT SCALESTUDY_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  if(NOT ARGN)
    get_target_property(ARGN ${target} SOURCES)
  endif()
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    string(MAKE_C_IDENTIFIER "${folder}" group)
    set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()

# The precompiled headers `name`: what most libraries include of the standard library. Those of this folder use them. gcc takes
# the level of optimisation from them, whatever a file's own options say: each level needs its own.
macro(scalestudy_precompiled name)
  if(SCALESTUDY_PRECOMPILE)
    file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cc CONTENT "")
    add_library(${name} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cc)
    target_link_libraries(${name} PRIVATE scalestudy::warnings)
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_precompile_headers(
      ${name}
      PRIVATE
      <algorithm>
      <array>
      <cmath>
      <filesystem>
      <functional>
      <map>
      <memory>
      <optional>
      <set>
      <span>
      <sstream>
      <string>
      <utility>
      <variant>
      <vector>)
    set(SCALESTUDY_PRECOMPILED ${name})
  endif()
endmacro()

# Sets `result` to the sources of this folder, but hidden files and that of a program's main(). Folders within add theirs.
function(scalestudy_sources_here result)
  file(GLOB sources RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS [^.]*.cc)
  list(REMOVE_ITEM sources main.cc)
  set(${result} ${sources} PARENT_SCOPE)
endfunction()

# scalestudy_library(NAME [SOURCES a.cc b.cc] [PUBLIC libs] [PRIVATE libs])
# Static library scalestudy_NAME of these sources, by default of all in the folder, with the alias scalestudy::NAME.
# Includes are spelled from the root.
function(scalestudy_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;PUBLIC;PRIVATE")
  if(NOT arg_SOURCES)
    scalestudy_sources_here(arg_SOURCES)
  endif()
  add_library(scalestudy_${name} STATIC ${arg_SOURCES})
  add_library(scalestudy::${name} ALIAS scalestudy_${name})
  target_include_directories(scalestudy_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(scalestudy_${name} PUBLIC ${arg_PUBLIC} PRIVATE scalestudy::warnings ${arg_PRIVATE})
  set_target_properties(scalestudy_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  list(TRANSFORM arg_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  set_property(GLOBAL APPEND PROPERTY SCALESTUDY_SOURCES ${arg_SOURCES})
  scalestudy_units(scalestudy_${name} ${arg_SOURCES})
  # What is compiled for OpenMP would need precompiled headers of its own.
  if(SCALESTUDY_PRECOMPILE AND NOT "OpenMP::OpenMP_CXX" IN_LIST arg_PRIVATE)
    target_precompile_headers(scalestudy_${name} REUSE_FROM ${SCALESTUDY_PRECOMPILED})
  endif()
endfunction()

# scalestudy_sources(NAME [a.cc b.cc]): what a folder within the folder of library NAME adds to it, by default all its
# sources.
function(scalestudy_sources name)
  if(NOT ARGN)
    scalestudy_sources_here(ARGN)
  endif()
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE sources)
  target_sources(scalestudy_${name} PRIVATE ${sources})
  set_property(GLOBAL APPEND PROPERTY SCALESTUDY_SOURCES ${sources})
  scalestudy_units(scalestudy_${name} ${sources})
endfunction()

# Compiles `target` as tests are: quickly, with their precompiled headers, which have Catch. What is compiled for OpenMP
# would need headers of its own.
function(scalestudy_compile_as_tests target)
  target_link_libraries(${target} PRIVATE scalestudy::warnings Catch2::Catch2)
  target_compile_options(${target} PRIVATE ${SCALESTUDY_TEST_OPTIONS})
  get_target_property(libraries ${target} LINK_LIBRARIES)
  if(SCALESTUDY_PRECOMPILE AND NOT "OpenMP::OpenMP_CXX" IN_LIST libraries)
    target_precompile_headers(${target} REUSE_FROM precompiled_tests)
  endif()
endfunction()

# The executable `target` of these test files; what this machine cannot do is skipped: tests/support/skip.h.
function(scalestudy_test_program target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBS")
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE ${arg_LIBS} Catch2::Catch2WithMain)
  scalestudy_compile_as_tests(${target})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(
    ${target}
    PRIVATE SCALESTUDY_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
            SCALESTUDY_TEST_BIN="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
endfunction()

# Sets `result`, seconds that a test may take, to `seconds` if it is not set; to four times as many with a sanitizer,
# which makes programs slower.
function(scalestudy_patience result seconds)
  if(${result})
    set(seconds ${${result}})
  endif()
  if(SCALESTUDY_SANITIZE)
    math(EXPR seconds "4 * ${seconds}")
  endif()
  set(${result} ${seconds} PARENT_SCOPE)
endfunction()

# scalestudy_test(ROOM/FOLDER/NAME LIBS... [LABELS one] [TIMEOUT seconds])
# tests/ROOM/FOLDER/NAME_test.cc as a program of its own, test_ROOM_NAME; every TEST_CASE is a CTest test
# "ROOM: sentence". Programs a test starts are found through SCALESTUDY_TEST_BIN.
function(scalestudy_test path)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT;LABELS" "LIBS")
  string(REGEX REPLACE "/.*" "" room ${path})
  get_filename_component(target ${path} NAME)
  string(PREPEND target "test_${room}_")
  set_property(GLOBAL APPEND PROPERTY SCALESTUDY_REGISTERED_TESTS ${path}_test.cc)
  scalestudy_test_program(${target} SOURCES ${PROJECT_SOURCE_DIR}/tests/${path}_test.cc LIBS ${arg_LIBS})
  scalestudy_patience(arg_TIMEOUT 120)
  set(properties TIMEOUT ${arg_TIMEOUT} SKIP_RETURN_CODE 77)
  if("gpu" IN_LIST arg_LABELS)
    # One at a time: ranks of two tests would share a GPU.
    list(APPEND properties RESOURCE_LOCK gpu)
  endif()
  scalestudy_cases(${target} ${room} "" "${arg_LABELS}" ${path} ${properties})
endfunction()

# scalestudy_tests(ROOM LIBS... [FILES...] [MPI_FILES...] [CASES...] [MPI...] [TIMEOUT seconds])
# tests/ROOM/NAME_test.cc of all these names as one program, test_ROOM. CTest runs a whole file of FILES,
# "ROOM: NAME" (Catch names the sentence that fails), likewise of MPI_FILES, whose cases share ranks that
# one of them started, and each TEST_CASE of the others, "ROOM: sentence": of
# CASES, whose tests start processes, wait, or leave their process otherwise than they found it; of MPI, the
# same with the workloads, without MPI compiled but not run. Without FILES, these are what neither the others name nor
# scalestudy_test() before.
function(scalestudy_tests room)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "LIBS;FILES;MPI_FILES;CASES;MPI")
  if(NOT arg_FILES)
    set(root ${PROJECT_SOURCE_DIR}/tests)
    file(GLOB_RECURSE arg_FILES RELATIVE ${root} CONFIGURE_DEPENDS ${root}/${room}/[^.]*_test.cc)
    get_property(registered GLOBAL PROPERTY SCALESTUDY_REGISTERED_TESTS)
    list(REMOVE_ITEM arg_FILES "" ${registered})
    list(TRANSFORM arg_FILES REPLACE "^${room}/(.*)_test\\.cc$" "\\1")
    list(REMOVE_ITEM arg_FILES "" ${arg_MPI_FILES} ${arg_CASES} ${arg_MPI})
  endif()
  foreach(name IN LISTS arg_FILES arg_MPI_FILES arg_CASES arg_MPI)
    set_property(GLOBAL APPEND PROPERTY SCALESTUDY_REGISTERED_TESTS ${room}/${name}_test.cc)
  endforeach()
  set(target test_${room})
  set(sources "")
  foreach(name IN LISTS arg_FILES arg_MPI_FILES arg_CASES arg_MPI)
    list(APPEND sources ${PROJECT_SOURCE_DIR}/tests/${room}/${name}_test.cc)
  endforeach()
  if(NOT SCALESTUDY_ENABLE_MPI)
    set(arg_MPI "")
    set(arg_MPI_FILES "")
  endif()
  scalestudy_test_program(${target} SOURCES ${sources} LIBS ${arg_LIBS})
  scalestudy_units(${target} ${sources})
  scalestudy_patience(arg_TIMEOUT 120)
  set(properties TIMEOUT ${arg_TIMEOUT} SKIP_RETURN_CODE 77)

  foreach(name IN LISTS arg_FILES)
    scalestudy_file(${target} ${room} ${name} "" "" ${room}/${name})
  endforeach()
  scalestudy_patience(mpi_patience 600)
  foreach(name IN LISTS arg_MPI_FILES)
    scalestudy_file(${target} ${room} ${name} "" mpi ${room}/${name} TIMEOUT ${mpi_patience} COST 10) # the long ones first
  endforeach()
  foreach(list IN ITEMS CASES MPI)
    list(TRANSFORM arg_${list} PREPEND ${room}/)
  endforeach()
  scalestudy_cases(${target} ${room} "" "" "${arg_CASES}" ${properties})
  scalestudy_cases(${target} ${room} "" mpi "${arg_MPI}" ${properties})
endfunction()

# Sets `result` to whether tests/PATH_test.cc has a case whose last tag is [slow].
function(scalestudy_has_slow path result)
  file(READ ${PROJECT_SOURCE_DIR}/tests/${path}_test.cc text)
  string(FIND "${text}" "[slow]\")" at)
  if(at EQUAL -1)
    set(${result} OFF PARENT_SCOPE)
  else()
    set(${result} ON PARENT_SCOPE)
  endif()
endfunction()

# tests/PATH_test.cc as the CTest test "PREFIX: NAME", and its cases with the last tag [slow] as "PREFIX: NAME, slow"; `filter`
# and `label` as in scalestudy_cases.
function(scalestudy_file target prefix name filter label path)
  get_filename_component(file ${path} NAME)
  scalestudy_patience(patience 300)
  scalestudy_has_slow(${path} has_slow)
  set(rest "")
  if(has_slow)
    set(rest "~[slow]")
    set(slow_label ${label} slow)
    list(JOIN slow_label "-" slow_label)
    add_test(NAME "${prefix}: ${name}, slow" COMMAND ${target} "-#" "[slow]${filter}[#${file}_test]")
    set_tests_properties("${prefix}: ${name}, slow" PROPERTIES TIMEOUT ${patience} LABELS ${slow_label} ${ARGN})
  endif()
  file(STRINGS ${PROJECT_SOURCE_DIR}/tests/${path}_test.cc cases REGEX "^[A-Z_]*TEST_CASE")
  file(STRINGS ${PROJECT_SOURCE_DIR}/tests/${path}_test.cc slow_cases REGEX "\\[slow\\]\"\\)")
  list(LENGTH cases count)
  list(LENGTH slow_cases slow_count)
  if(slow_count LESS count)
    add_test(NAME "${prefix}: ${name}" COMMAND ${target} "-#" "${rest}${filter}[#${file}_test]")
    set_tests_properties("${prefix}: ${name}" PROPERTIES TIMEOUT ${patience} LABELS "${label}" ${ARGN})
  endif()
endfunction()

# Each TEST_CASE of tests/PATH_test.cc of these paths that `filter` (of Catch's command line, or "") selects in the program
# `target`, as a CTest test "PREFIX: sentence" with this label (or ""). The last tag [slow] makes the label
# LABEL-slow, which -L LABEL, -L slow and -LE slow find: ./dev test leaves those out. The tag [mpi] leaves out a case where
# the workloads are not built.
function(scalestudy_cases target prefix filter label paths)
  if(NOT SCALESTUDY_ENABLE_MPI)
    string(APPEND filter "~[mpi]")
  endif()
  set(fast "")
  set(slow "")
  foreach(path IN LISTS paths)
    get_filename_component(file ${path} NAME)
    scalestudy_has_slow(${path} has_slow)
    if(has_slow)
      list(APPEND slow "[slow]${filter}[#${file}_test]")
      list(APPEND fast "~[slow]${filter}[#${file}_test]")
    else()
      list(APPEND fast "${filter}[#${file}_test]")
    endif()
  endforeach()
  foreach(specs IN ITEMS fast slow)
    if("${specs}" STREQUAL "slow")
      list(APPEND label slow)
    endif()
    set(labels "")
    if(label)
      list(JOIN label "-" labels)
      list(PREPEND labels LABELS)
    endif()
    if(${specs})
      list(JOIN ${specs} "," spec)
      catch_discover_tests(${target} TEST_SPEC "-#" "${spec}" TEST_PREFIX "${prefix}: " PROPERTIES ${ARGN} ${labels})
    endif()
  endforeach()
endfunction()
