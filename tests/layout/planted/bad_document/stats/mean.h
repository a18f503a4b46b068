// The mean of `values`; README.md says of what.
//
//   source  nowhere.md 7; github.com/somebody/else/blob/main/theirs.md
