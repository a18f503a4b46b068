// Contract.
#pragma once

namespace scalestudy::stats {}
