package org.example.kotlin

import io.rowqueue.testkit.Await
import io.rowqueue.testkit.QueueDatabase
import java.time.Duration
import java.time.Instant
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test

class ShopTest {

  @Test
  fun dataClass_withDefaultsAndNulls_arrivesAsItWasEnqueued() {
    QueueDatabase.create().use { database ->
      database.execute("CREATE TABLE paper (text VARCHAR(200))")
      val order = Order(1, listOf(Line("tea", 2), Line("milk")), Instant.parse("2026-11-28T12:00:00Z"))
      worker(database.dataSource()).use {
        place(database.dataSource(), order)
        database.queue().enqueue("order.placed", mapOf("id" to 2, "lines" to listOf(mapOf("item" to "tea")), "at" to "2026-11-28T12:00:00Z"))
        Await.that("both orders", Duration.ofSeconds(20)) { database.strings("SELECT text FROM paper").size == 2 }
      }
      val other = Order(2, listOf(Line("tea")), order.at)
      assertEquals(listOf(order, other).map { it.toString() }, database.strings("SELECT text FROM paper ORDER BY text"))
    }
  }
}
