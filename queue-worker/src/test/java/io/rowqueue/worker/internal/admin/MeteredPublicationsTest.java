package io.rowqueue.worker.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.rowqueue.Topic;
import org.junit.jupiter.api.Test;

class MeteredPublicationsTest {

  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final MeteredPublications metered = new MeteredPublications(meters);

  private double count(String source) {
    return meters.get("rowqueue.published.to.nobody").tag("source", source).counter().count();
  }

  @Test
  void publishedToNobody_countsMessagesBySource() {
    metered.publishedWithoutSubscribers(new Topic("order.placed"), 2);
    metered.publishedWithoutSubscribers(new Topic("order.placed"), 1);
    metered.publishedWithoutSubscribers(new Topic("mail.sent"), 1);
    assertThat(count("order.placed")).isEqualTo(3);
    assertThat(count("mail.sent")).isEqualTo(1);
  }

  /** A program that makes up a source for each customer must not fill its worker's memory. */
  @Test
  void publishedToNobody_ofSourcesWithoutEnd_countsTheRestTogether() {
    for (int source = 0; source < MeteredPublications.MOST_SOURCES + 50; source++) {
      metered.publishedWithoutSubscribers(new Topic("customer." + source), 1);
    }
    metered.publishedWithoutSubscribers(new Topic("customer.0"), 1);
    assertThat(count("customer.0")).isEqualTo(2);
    assertThat(count(MeteredPublications.OTHERS)).isEqualTo(50);
    assertThat(meters.getMeters()).hasSize(MeteredPublications.MOST_SOURCES + 1);
  }
}
