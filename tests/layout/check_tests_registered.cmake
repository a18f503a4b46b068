# Fails when a tests/**/*_test.cc is not built by this configuration: a test that is not built is worse
# than none. REGISTERED: those scalestudy_test() was called for; UNBUILT: a regular expression of those that
# this configuration leaves out.

file(GLOB_RECURSE tests RELATIVE ${ROOT}/tests ${ROOT}/tests/[^.]*_test.cc)
if(UNBUILT)
  list(FILTER tests EXCLUDE REGEX "${UNBUILT}")
endif()
list(REMOVE_ITEM tests ${REGISTERED})
if(tests)
  message(FATAL_ERROR "not registered: ${tests}")
endif()
