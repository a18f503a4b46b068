# Fails where CMake takes a hidden file for a source or a test: Emacs puts a link `.#mean.cc` that leads nowhere beside a
# file with unsaved changes. Run: cmake -DROOT=<tree> -DFOLDER=<scratch> -P check_hidden_files.cmake
file(REMOVE_RECURSE ${FOLDER})
file(WRITE ${FOLDER}/CMakeLists.txt
     "cmake_minimum_required(VERSION 3.25)\nproject(hidden LANGUAGES NONE)\n"
     "include(${ROOT}/cmake/ScalestudyTargets.cmake)\n"
     "scalestudy_sources_here(sources)\n"
     "function(scalestudy_test_program)\nendfunction()\n" # there is no Catch
     "function(scalestudy_file)\nendfunction()\n"
     "scalestudy_tests(stats)\n"
     "get_property(tests GLOBAL PROPERTY SCALESTUDY_REGISTERED_TESTS)\n"
     "message(STATUS \"sources: \${sources}, tests: \${tests}.\")\n")
foreach(name IN ITEMS mean main tests/stats/mean_test tests/stats/means/median_test)
  file(WRITE ${FOLDER}/${name}.cc "")
  cmake_path(GET name PARENT_PATH folder)
  cmake_path(GET name FILENAME name)
  file(CREATE_LINK nowhere "${FOLDER}/${folder}/.#${name}.cc" SYMBOLIC)
endforeach()
execute_process(COMMAND ${CMAKE_COMMAND} -S ${FOLDER} -B ${FOLDER}/build OUTPUT_VARIABLE told ERROR_VARIABLE told)
set(expected "sources: mean.cc, tests: stats/mean_test.cc;stats/means/median_test.cc.")
string(FIND "${told}" "${expected}" at)
if(at EQUAL -1)
  message(FATAL_ERROR "not '${expected}' in: ${told}")
endif()
