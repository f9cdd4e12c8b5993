package io.rowqueue.spring.example;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** What a customer ordered. */
@Entity
@Table(name = "customer_order")
public class Order {

  @Id
  @GeneratedValue(strategy = GenerationType.IDENTITY)
  private Long id;

  private String customer;
  private String item;

  /** For JPA. */
  protected Order() {}

  Order(String customer, String item) {
    this.customer = customer;
    this.item = item;
  }

  /** Its number. */
  public Long getId() {
    return id;
  }

  /** Its customer's name. */
  public String getCustomer() {
    return customer;
  }

  /** What was ordered. */
  public String getItem() {
    return item;
  }
}
