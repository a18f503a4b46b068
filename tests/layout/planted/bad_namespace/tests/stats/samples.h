namespace scalestudy::testing {}  // namespace scalestudy::testing
