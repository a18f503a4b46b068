// A page of a site: the same head everywhere.
#pragma once

#include <string>
#include <string_view>

namespace scalestudy::report {

// A page of a site: the same head everywhere.
//   up     from the page to the site's folder: "", "../../".
//   links  to what belongs to this page, HTML; "": none.
//   script and script_hash  as of html_page.
std::string site_page(const std::string& title,
                      const std::string& up,
                      const std::string& links,
                      const std::string& body,
                      std::string_view script = {},
                      std::string_view script_hash = {});

}  // namespace scalestudy::report
