/** An order service with Quarkus. */
package org.example.quarkus;
