package org.example.greeting;

/** The payload of topic greeting.requested, as JSON: {"name": "Ada"}. */
public record Greeting(String name) {}
