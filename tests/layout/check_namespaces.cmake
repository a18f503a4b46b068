# Fails when a test declares something in another namespace than scalestudy::test or an unnamed one: helpers of
# two folders would need two names for one thing. What stands for vendors' headers keeps their namespaces.

file(GLOB_RECURSE files RELATIVE ${ROOT} ${ROOT}/tests/*.cc ${ROOT}/tests/*.h ${ROOT}/tests/*.cu)
list(FILTER files EXCLUDE REGEX "^tests/(layout/planted|cuda/include)/")
foreach(file IN LISTS files)
  file(STRINGS ${ROOT}/${file} opened REGEX "^ *(inline )?namespace [A-Za-z_:]+ *[{]")
  list(FILTER opened EXCLUDE REGEX "^namespace scalestudy::test [{]$")
  if(opened)
    list(APPEND wrong "${file}: ${opened}")
  endif()
endforeach()
if(wrong)
  list(JOIN wrong "\n" wrong)
  message(FATAL_ERROR "not in scalestudy::test:\n${wrong}")
endif()
