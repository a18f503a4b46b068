# Fails where a report or the analysis searches a sentence, or compares one with words: which cells a row is about,
# and which case it is, are columns of the row. Sentences are for readers.

set(sentence "(finding|remark|reason|about|sentence|choice)([(][^()]*([(][^()]*[)])?[^()]*[)])?")
set(search "(find|rfind|find_first_of|starts_with|ends_with|contains|compare)[(]")
file(GLOB_RECURSE files RELATIVE ${ROOT} ${ROOT}/harness/report/*.cc ${ROOT}/harness/report/*.h
     ${ROOT}/harness/analysis/*.cc ${ROOT}/harness/analysis/*.h)
foreach(file IN LISTS files)
  file(STRINGS ${ROOT}/${file} lines REGEX "${sentence}[.]${search}|${sentence} [!=]= \"[^\"]")
  foreach(line IN LISTS lines)
    string(STRIP "${line}" line)
    string(APPEND wrong "\n${file}: ${line}")
  endforeach()
endforeach()
if(NOT files)
  message(FATAL_ERROR "no sources below ${ROOT}")
endif()
if(wrong)
  message(FATAL_ERROR "what a row is about is asked of its sentence:${wrong}")
endif()
