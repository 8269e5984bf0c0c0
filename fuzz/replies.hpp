// Every kind of request, and what must be true of a reply to it whatever Redis said.
#pragma once

#include <array>
#include <string_view>

#include "core/message.hpp"

namespace tenure::fuzz {

struct NamedRequest {
  std::string_view name;
  core::Request request;
};

const std::array<NamedRequest, 10>& requests();

// Aborts when the reply is none that the core could be handed.
void expect_usable(const core::Request& request, const core::Reply& reply);

// The same of a failure alone: its words go to a terminal.
void expect_shown_safely(const core::Failure& failure);

}  // namespace tenure::fuzz
