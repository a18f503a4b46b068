# Functions for this project's targets: one library a folder, one executable a tested file.

add_library(scalestudy_warnings INTERFACE)
add_library(scalestudy::warnings ALIAS scalestudy_warnings)
target_compile_features(scalestudy_warnings INTERFACE cxx_std_20)
target_compile_options(
  scalestudy_warnings
  INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wconversion;-Wshadow;-Wnon-virtual-dtor>"
    "$<$<COMPILE_LANGUAGE:CUDA>:-std=c++20;--extended-lambda;-Xcompiler=-Wall,-Wextra>")
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

# scalestudy_library(NAME SOURCES a.cc b.cc [PUBLIC libs] [PRIVATE libs])
# Static library scalestudy_NAME with the alias scalestudy::NAME. Includes are spelled from the root.
function(scalestudy_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;PUBLIC;PRIVATE")
  add_library(scalestudy_${name} STATIC ${arg_SOURCES})
  add_library(scalestudy::${name} ALIAS scalestudy_${name})
  target_include_directories(scalestudy_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(scalestudy_${name} PUBLIC ${arg_PUBLIC} PRIVATE scalestudy::warnings ${arg_PRIVATE})
  set_target_properties(scalestudy_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  list(TRANSFORM arg_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  set_property(GLOBAL APPEND PROPERTY SCALESTUDY_SOURCES ${arg_SOURCES})
endfunction()

# scalestudy_sources(NAME a.cc b.cc): what a folder within the folder of library NAME adds to it.
function(scalestudy_sources name)
  target_sources(scalestudy_${name} PRIVATE ${ARGN})
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  set_property(GLOBAL APPEND PROPERTY SCALESTUDY_SOURCES ${ARGN})
endfunction()

# scalestudy_test(FOLDER/NAME LIBS... [LABELS one])
# tests/FOLDER/NAME_test.cc becomes one executable, test_ROOM_NAME after the first folder; every TEST_CASE becomes one
# CTest test named "ROOM: sentence". Programs a test starts are found through SCALESTUDY_TEST_BIN. TIMED: cases with
# the tag [timed] compare what was measured with a known time, and no other test runs beside them.
function(scalestudy_test path)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TIMED" "TIMEOUT;LABELS" "LIBS")
  string(REGEX REPLACE "/.*" "" folder ${path})
  get_filename_component(target ${path} NAME)
  string(PREPEND target "test_${folder}_")
  set_property(GLOBAL APPEND PROPERTY SCALESTUDY_REGISTERED_TESTS ${path}_test.cc)
  add_executable(${target} ${PROJECT_SOURCE_DIR}/tests/${path}_test.cc)
  target_link_libraries(${target} PRIVATE ${arg_LIBS} scalestudy::warnings Catch2::Catch2WithMain)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(
    ${target}
    PRIVATE SCALESTUDY_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
            SCALESTUDY_TEST_BIN="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  # What is compiled for OpenMP needs precompiled headers of its own.
  if(SCALESTUDY_PRECOMPILE AND NOT "OpenMP::OpenMP_CXX" IN_LIST arg_LIBS)
    target_precompile_headers(${target} REUSE_FROM precompiled_tests)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  # What this machine cannot do (no GPU, no root, one core) is skipped: tests/support/skip.h.
  set(properties TIMEOUT ${arg_TIMEOUT} SKIP_RETURN_CODE 77)
  if(arg_LABELS)
    list(APPEND properties LABELS "${arg_LABELS}")
  endif()
  if("gpu" IN_LIST arg_LABELS)
    # One at a time: ranks of two tests would share a GPU.
    list(APPEND properties RESOURCE_LOCK gpu)
  endif()
  set(spec "")
  if(arg_TIMED)
    set(spec TEST_SPEC "~[timed]")
    catch_discover_tests(
      ${target}
      TEST_SPEC "[timed]"
      TEST_PREFIX "${folder}: "
      PROPERTIES ${properties} RUN_SERIAL TRUE)
  endif()
  catch_discover_tests(${target} ${spec} TEST_PREFIX "${folder}: " PROPERTIES ${properties})
endfunction()
