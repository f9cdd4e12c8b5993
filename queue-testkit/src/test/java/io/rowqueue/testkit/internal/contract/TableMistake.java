package io.rowqueue.testkit.internal.contract;

/** What somebody may get wrong beyond the life of a message, as a trigger does it. */
enum TableMistake {
  SLOT_IS_NOBODYS(Feature.LIMITS, "UPDATE ON queue_slot", "lock_id = ''"),
  BUCKET_KEEPS_ITS_TOKENS(Feature.LIMITS, "UPDATE ON queue_rate", "tokens = OLD.tokens"),
  KEY_LIMIT_IGNORED(Feature.LIMITS, "INSERT ON queue_topic", "key_max_in_flight = NULL"),
  KEY_RATE_IGNORED(Feature.LIMITS, "INSERT ON queue_topic", "key_max_per_second = NULL"),
  DEAD_MEMBER_UNCOUNTED(Feature.BATCHES, "UPDATE ON queue_batch_shard", "dead = OLD.dead"),
  COMPLETION_FORGOTTEN(Feature.BATCHES, "INSERT ON queue_batch", "topic = NULL"),
  PARENT_FORGOTTEN(Feature.BATCHES, "INSERT ON queue_batch", "parent_shard = NULL"),
  STEPS_REVERSED(Feature.CHAINS, "INSERT ON queue_chain_step", "step = 100 - NEW.step"),
  DELAY_OF_A_STEP_IGNORED(Feature.CHAINS, "INSERT ON queue_chain_step", "delay_micros = 0"),
  RESULT_LOST(Feature.RESULTS, "INSERT ON queue_result", "content = NULL"),
  RESULT_KEPT_FOR_EVER(Feature.RESULTS, "INSERT ON queue_result", "expires_at = '9999-12-31'"),
  FULL_FOR_EVER(Feature.DEPTH, "UPDATE ON queue_depth", "is_full = OLD.is_full"),
  AGE_IGNORED(Feature.DEPTH, "INSERT ON queue_topic", "max_age_seconds = NULL"),
  PIECE_OF_A_BODY_CUT(
      Feature.BODIES, "INSERT ON queue_payload_chunk", "bytes = SUBSTRING(NEW.bytes, 2)"),
  END_OF_A_BODY_FORGOTTEN(Feature.BODIES, "INSERT ON queue_payload_chunk", "is_last = 0"),
  DEAD_LETTER_RENAMED(Feature.FORMER_NAMES, "INSERT ON queue_dead_letter", "topic = 'orders'"),
  PAUSE_FORGOTTEN(Feature.FORMER_NAMES, "INSERT ON queue_topic", "paused = 0");

  private final Feature feature;
  private final String event;
  private final String change;

  TableMistake(Feature feature, String event, String change) {
    this.feature = feature;
    this.event = event;
    this.change = change;
  }

  /** Whose contract has to find it. */
  Feature feature() {
    return feature;
  }

  String plant() {
    return "CREATE TRIGGER mistake BEFORE %s FOR EACH ROW SET NEW.%s".formatted(event, change);
  }

  static String mend() {
    return "DROP TRIGGER mistake";
  }
}
