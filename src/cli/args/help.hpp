// What -h prints. Written by hand: what CLI11 would make of the options differs from version to version.
#pragma once

#include <string>
#include <string_view>

namespace tenure::cli {

extern const std::string_view help_text;
extern const std::string_view run_help_text;
extern const std::string_view elect_help_text;
extern const std::string_view init_help_text;
extern const std::string_view reconfigure_help_text;
extern const std::string_view doctor_help_text;
extern const std::string_view redis_help_text;
extern const std::string_view lock_help_text;
extern const std::string_view sessions_help_text;
extern const std::string_view status_help_text;
extern const std::string_view poll_help_text;
extern const std::string_view web_help_text;
extern const std::string_view demo_help_text;
extern const std::string_view explain_help_text;

// The page as it is printed, with the options that many commands have.
std::string complete(std::string_view text);

}  // namespace tenure::cli
