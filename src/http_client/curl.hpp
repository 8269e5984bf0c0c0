// What of libcurl is used in more than one file here, and owned.
#pragma once

#include <curl/curl.h>

#include <memory>
#include <new>
#include <string>

namespace tenure::http_client {

// CURL and CURLM are both void: who owns one says how it goes.
struct FreeEasy {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct FreeMulti {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};
struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using Easy = std::unique_ptr<CURL, FreeEasy>;
using Multi = std::unique_ptr<CURLM, FreeMulti>;
using List = std::unique_ptr<curl_slist, FreeList>;

inline void append(List& list, const std::string& line) {
  curl_slist* longer = curl_slist_append(list.get(), line.c_str());
  if (longer == nullptr) throw std::bad_alloc();
  // A list that there was goes on where it began.
  if (!list) list.reset(longer);
}

}  // namespace tenure::http_client
