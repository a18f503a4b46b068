# Fails when a file includes what its folder may not know. Run: cmake -DROOT=<tree> -P check_layers.cmake
# The tables are the architecture: a new edge is a decision, made here and explained in the commit.

cmake_policy(SET CMP0057 NEW)

# folder -> folders it may include besides itself; a folder not named here may not hold sources.
set(allowed_stats "")
set(allowed_stats_reference stats)
set(allowed_workloads_names "")
set(allowed_workloads_parameters workloads/names)
set(allowed_workloads_protocol workloads/names)
# a library that is loaded into programs of others
set(allowed_workloads_profiler "")
set(allowed_workloads_rank workloads/names workloads/parameters workloads/protocol)
set(allowed_workloads_flags workloads/names workloads/parameters workloads/protocol workloads/rank)
set(allowed_workloads_device workloads/protocol workloads/rank)
set(allowed_workloads_ops workloads/rank workloads/device)
set(allowed_workloads_comm workloads/protocol workloads/rank workloads/device)
set(allowed_workloads_cuda
    workloads/protocol workloads/rank workloads/device workloads/ops workloads/comm)
set(allowed_workloads_model workloads/rank workloads/device workloads/ops workloads/comm)
set(allowed_workloads_sync workloads/rank workloads/device workloads/ops workloads/comm)
set(allowed_workloads_train
    workloads/names workloads/parameters workloads/protocol workloads/rank workloads/flags workloads/device
    workloads/ops workloads/comm workloads/cuda workloads/model workloads/sync)
set(allowed_workloads_collective
    workloads/names workloads/parameters workloads/protocol workloads/rank workloads/flags workloads/device
    workloads/comm workloads/cuda)
# closest_word, which checks the values of parameters on both sides
set(allowed_harness_text workloads/parameters)
set(allowed_harness_base harness/text)
set(allowed_harness_yaml harness/text harness/base)
set(allowed_harness_study
    harness/text harness/base harness/yaml workloads/names workloads/parameters workloads/protocol)
set(allowed_harness_store harness/text harness/base harness/study workloads/names)
set(allowed_harness_host harness/text harness/base)
set(allowed_harness_run
    harness/text harness/base harness/study harness/store harness/host workloads/names workloads/protocol)
# sql_guard, which bounds what SQL of templates and of datasets may do
set(allowed_harness_audit harness/text harness/base harness/yaml harness/study harness/store workloads/names)
# the relations between rates, times and FLOP, for rates that programs print
set(allowed_harness_analysis
    harness/text harness/base harness/study harness/store harness/audit stats workloads/names)
# logs of runs are read and kept as the output of trials is
set(allowed_harness_import
    harness/text harness/base harness/yaml harness/study harness/store harness/run harness/audit workloads/names
    workloads/protocol)
# the CSV of tables in a report's folder, and the text of its study
set(allowed_harness_exchange harness/text harness/base harness/study harness/store harness/audit workloads/names)
set(allowed_harness_report
    harness/text harness/base harness/yaml harness/study harness/store harness/audit workloads/names)
set(allowed_harness_site harness/text harness/base harness/study harness/report)
# where trials of a plan are run: the plan, and what a cell's ranks need
set(allowed_harness_submit harness/text harness/base harness/study harness/store harness/run workloads/names)
set(allowed_harness_cli
    harness/text harness/base harness/yaml harness/study harness/store harness/host harness/run harness/analysis
    harness/report harness/site harness/audit harness/import harness/exchange harness/submit workloads/names
    workloads/parameters)

# room -> its folders by floors: each may include those before it and no other; "." is the room's own.
set(floors_harness_run process nccl world command machine output values outcome attempt session .)
set(floors_harness_report
    input template files figures answer rules sections sections/measured sections/verdicts
    sections/conditions sections/costs .)
set(floors_harness_analysis
    observe cells compare effects laws estimates thresholds search threats studies .)
set(floors_harness_study declared parameters matrix sections sections/analysis .)
set(floors_harness_store rows tables database . merge)
set(floors_harness_import . runs)
set(floors_harness_audit figure dataset check .)
set(floors_harness_cli . plan results exchange run start shell)
set(floors_workloads_ops . cpu cuda)
set(floors_workloads_model shape .)
set(floors_workloads_train
    options device times input layout exchange memory step record saves .)

# third-party header (a regular expression) -> folders whose .cc files may include it
set(third_party
    "^boost/" "^nlohmann/" "^CLI/" "^fmt/" "^yaml-cpp/" "^SQLiteCpp/|^sqlite3\\.h$" "^kainjow/"
    "^cmark" "^xxhash\\.h$" "^mpi\\.h$" "^dnnl|^oneapi/" "^omp\\.h$" "^cuda|^cublas|^cudnn|^nccl"
    "^re2/" "^regex$" "^nvtx3/")
set(users_0 stats)
set(users_1 workloads/protocol workloads/train harness/text harness/run harness/store harness/study harness/import)
set(users_2 harness/cli workloads/flags)
set(users_3 harness)
set(users_4 harness/yaml)
set(users_5 harness/store harness/audit)
set(users_6 harness/report)
set(users_7 harness/report harness/audit)
set(users_8 harness/base)
set(users_9 workloads/rank workloads/comm workloads/train)
set(users_10 workloads/ops)
set(users_11 workloads/ops workloads/rank workloads/train)
set(users_12 workloads/device workloads/ops workloads/comm workloads/cuda)
set(users_13 harness/study harness/run harness/audit harness/import)
set(users_14 "") # it recurses for every character: a long line ends the program
set(users_15 workloads/train)

# True when `folder` is one of, or lies below one of, the remaining arguments.
function(is_within result folder)
  set(${result} FALSE PARENT_SCOPE)
  foreach(room IN LISTS ARGN)
    string(FIND "${folder}/" "${room}/" at)
    if(at EQUAL 0)
      set(${result} TRUE PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# The room of a folder: the longest part of its path that has a table; "" where there is none.
function(room_of result folder)
  while(folder)
    string(REPLACE "/" "_" key ${folder})
    if(DEFINED allowed_${key})
      break()
    endif()
    get_filename_component(folder "${folder}" DIRECTORY)
  endwhile()
  set(${result} "${folder}" PARENT_SCOPE)
endfunction()

# Where a folder stands among the floors of its room; -1 where the room has none, or not this one.
function(floor_of result room folder)
  string(REPLACE "/" "_" key ${room})
  file(RELATIVE_PATH within /${room} /${folder})
  if(within STREQUAL "")
    set(within .)
  endif()
  list(FIND floors_${key} "${within}" floor)
  set(${result} ${floor} PARENT_SCOPE)
endfunction()

set(violations 0)
function(violation text)
  message("${text}")
  math(EXPR count "${violations} + 1")
  set(violations ${count} PARENT_SCOPE)
endfunction()

file(GLOB_RECURSE sources RELATIVE ${ROOT} ${ROOT}/stats/* ${ROOT}/workloads/* ${ROOT}/harness/*)
list(FILTER sources INCLUDE REGEX "\\.(h|cc|cu|cuh)$")
if(NOT sources)
  message(FATAL_ERROR "no sources below ${ROOT}")
endif()

foreach(source IN LISTS sources)
  get_filename_component(folder ${source} DIRECTORY)
  room_of(room "${folder}")
  if(source STREQUAL "harness/main.cc")
    set(room harness/cli)
  elseif(room STREQUAL "")
    violation("${source}: folder ${folder} is not in the table of tests/layout/check_layers.cmake")
    continue()
  endif()
  string(REPLACE "/" "_" key ${room})
  floor_of(floor "${room}" "${folder}")
  if(floor EQUAL -1 AND NOT folder STREQUAL room AND NOT source STREQUAL "harness/main.cc")
    violation("${source}: folder ${folder} is not among the floors of ${room} in tests/layout/check_layers.cmake")
  endif()
  # So that compiling the .cc proves that its header compiles alone.
  string(REGEX REPLACE "\\.cc$" ".h" header ${source})
  if(NOT header STREQUAL source AND EXISTS ${ROOT}/${header})
    file(READ ${ROOT}/${source} text)
    if(NOT text MATCHES "^(//[^\n]*\n|\n)*#include \"${header}\"\n")
      violation("${source}: has to include ${header} before anything else")
    endif()
  endif()
  file(STRINGS ${ROOT}/${source} includes REGEX "^[ \t]*#[ \t]*include")
  foreach(line IN LISTS includes)
    if(line MATCHES "\"([^\"]+)\"")
      get_filename_component(target ${CMAKE_MATCH_1} DIRECTORY)
      if(target STREQUAL "")
        # scalestudy_build.h is generated; anything else is not spelled from the root.
        if(NOT CMAKE_MATCH_1 STREQUAL "scalestudy_build.h")
          violation("${source}: \"${CMAKE_MATCH_1}\" is not spelled from the root")
        endif()
      else()
        room_of(target_room "${target}")
        if(target_room STREQUAL room AND NOT source STREQUAL "harness/main.cc")
          floor_of(from "${room}" "${folder}")
          floor_of(to "${room}" "${target}")
          if(to GREATER from)
            violation("${source}: ${folder} may not include ${target}, which is above it")
          endif()
        elseif(NOT target_room STREQUAL room AND NOT target_room IN_LIST allowed_${key})
          violation("${source}: ${room} may not include ${target}")
        endif()
      endif()
    elseif(line MATCHES "<([^>]+)>")
      set(header ${CMAKE_MATCH_1})
      set(index 0)
      foreach(pattern IN LISTS third_party)
        if(header MATCHES "${pattern}")
          is_within(ok ${folder} ${users_${index}})
          if(NOT ok)
            violation("${source}: <${header}> belongs to ${users_${index}}")
          elseif(source MATCHES "\\.h$" AND NOT header MATCHES "^cuda|^cublas|^cudnn|^nccl")
            violation("${source}: <${header}> in a header; third-party headers stay in .cc files")
          endif()
        endif()
        math(EXPR index "${index} + 1")
      endforeach()
    endif()
  endforeach()
endforeach()

# The table for readers says the same.
if(EXISTS ${ROOT}/docs/architecture.md)
  file(READ ${ROOT}/docs/architecture.md page)
  get_cmake_property(tables VARIABLES)
  list(FILTER tables INCLUDE REGEX "^allowed_")
  foreach(table IN LISTS tables)
    string(REGEX REPLACE "^allowed_" "" folder ${table})
    string(REPLACE "_" "/" folder ${folder})
    list(JOIN ${table} ", " included)
    string(FIND "${page}" "| ${folder} | ${included} |" at)
    if(at EQUAL -1)
      violation("docs/architecture.md: no row \"| ${folder} | ${included} |\"")
    endif()
  endforeach()
endif()

if(violations GREATER 0)
  message(FATAL_ERROR "${violations} include(s) break the layers")
endif()
list(LENGTH sources count)
message("${count} files keep the layers")
