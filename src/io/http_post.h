// One POST of a JSON document by HTTP, for those who want to be told of something. Plain http only: no connection is kept,
// nothing is tried again, no redirect is followed.
#pragma once

#include <string>

namespace mica {

// The body of the answer. Throws InvalidArgument for what is no URL, Unsupported for https, IoError when nobody answers within
// ten seconds or with another status than 2xx.
std::string PostJson(const std::string& url, const std::string& body);

}  // namespace mica
