// A page of a site: the same head everywhere.
#pragma once

#include <string>
#include <string_view>

namespace scalestudy::report {

// A whole page, HTML.
// - up: the path from the page to the site's folder: "", "../../".
// - links: HTML of the links that belong to this page; "" for none.
// - body: HTML.
// - script, script_hash: see html_page().
std::string site_page(const std::string& title,
                      const std::string& up,
                      const std::string& links,
                      const std::string& body,
                      std::string_view script = {},
                      std::string_view script_hash = {});

}  // namespace scalestudy::report
