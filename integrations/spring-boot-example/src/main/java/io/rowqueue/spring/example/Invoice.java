package io.rowqueue.spring.example;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** The invoice of an order. */
@Entity
public class Invoice {

  @Id private Long orderId;
  private String text;
  private Integer mailedByAttempt;

  /** For JPA. */
  protected Invoice() {}

  Invoice(Order order) {
    this.orderId = order.getId();
    this.text = order.getCustomer() + " pays for " + order.getItem();
  }

  /** The number of its order. */
  public Long getOrderId() {
    return orderId;
  }

  /** What it says. */
  public String getText() {
    return text;
  }

  /** The attempt that sent it, or null if none has. */
  public Integer getMailedByAttempt() {
    return mailedByAttempt;
  }

  void mailed(int attempt) {
    mailedByAttempt = attempt;
  }
}
