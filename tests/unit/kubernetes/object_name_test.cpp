#include "kubernetes/object_name.hpp"

#include <gtest/gtest.h>

#include <set>

namespace tenure::kubernetes {
namespace {

TEST(ObjectName, ANameThatAnObjectMayHaveStaysAsItIs) {
  for (const auto* name : {"job", "a.b-c.d0", "0", "kube-scheduler", "n", "x-", "a--b"}) {
    const bool valid = is_object_name(name);
    EXPECT_EQ(valid, std::string_view(name) != "x-") << name;
    if (valid) {
      EXPECT_EQ(object_name(name).value(), name);
    }
  }
}

TEST(ObjectName, TheUsualPrefixOfLocksIsReadable) {
  EXPECT_EQ(object_name("redlock:job").value(), "redlock.job");
  EXPECT_EQ(name_of_object("redlock.job"), "redlock:job");
}

TEST(ObjectName, EverythingElseIsEscapedAndReadBack) {
  EXPECT_EQ(object_name("Job 1").value(), "x---4aob-201");
  const std::set<std::string> names{"Job",
                                    "a:b",
                                    "a/b",
                                    "ä",
                                    "-",
                                    "a-",
                                    "a..b",
                                    "x--a",
                                    "x--",
                                    "x---4aob",
                                    "redlock.a",
                                    "redlock",
                                    "redlock:",
                                    "redlock:A",
                                    "redlock:x--a",
                                    "redlock:a.b",
                                    "{name}n0",
                                    "a_b",
                                    std::string("a\0b", 3),
                                    "redlock:redlock:a"};
  std::set<std::string> objects;
  for (const std::string& name : names) {
    const auto object = object_name(name);
    ASSERT_TRUE(object) << name;
    EXPECT_TRUE(is_object_name(*object)) << name << " is " << *object;
    EXPECT_EQ(name_of_object(*object), name) << *object;
    objects.insert(*object);
  }
  EXPECT_EQ(objects.size(), names.size()) << "two names have one object";
}

TEST(ObjectName, WhatIsTooLongIsRefusedWithTheReason) {
  EXPECT_TRUE(object_name(std::string(253, 'a')));
  const auto refused = object_name(std::string(254, 'a'));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().find("253"), std::string::npos) << refused.error();
  EXPECT_FALSE(object_name(std::string(100, 'A'))) << "each takes three characters";
}

TEST(ObjectName, SomebodyElsesObjectStandsForItself) {
  for (const auto* object : {"x--", "x---", "x---z9", "x--job-2d-", "job"})
    EXPECT_EQ(name_of_object(object), object);
}

TEST(ObjectName, NamespacesAreLabels) {
  EXPECT_TRUE(is_namespace_name("kube-system"));
  for (const auto* name : {"", "a.b", "A", "-a", "a-", "a/b", "a?b"})
    EXPECT_FALSE(is_namespace_name(name)) << name;
  EXPECT_FALSE(is_namespace_name(std::string(64, 'a')));
}

}  // namespace
}  // namespace tenure::kubernetes
