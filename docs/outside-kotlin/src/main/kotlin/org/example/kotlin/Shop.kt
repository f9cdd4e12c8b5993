package org.example.kotlin

import io.rowqueue.MessageProducer
import io.rowqueue.NewMessage
import io.rowqueue.worker.Worker
import java.time.Instant
import javax.sql.DataSource

fun place(dataSource: DataSource, order: Order) =
    MessageProducer.create().enqueue(dataSource, NewMessage.of("order.placed", order))

// snippet: kotlin
data class Order(val id: Long, val lines: List<Line>, val at: Instant, val note: String? = null)

data class Line(val item: String, val pieces: Int = 1)

fun worker(dataSource: DataSource): Worker =
    Worker.builder(dataSource)
        .handle("order.placed", Order::class.java) { order, context ->
          context.connection().prepareStatement("INSERT INTO paper VALUES (?)").use {
            it.setString(1, order.toString())
            it.executeUpdate()
          }
        }
        .start()
// end snippet
