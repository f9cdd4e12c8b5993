-- RowQueue, schema version 1. Runs on MySQL 8.0.16 and later and on MariaDB 10.6 and later.
-- jOOQ's classes are generated from this file. The ignore comments hide from its DDL reader the syntax that it does
-- not support; the servers still run it.

-- While an ALTER waits for a metadata lock, every claim queues behind it. The server's default is to wait a year.
/* [jooq ignore start] */
SET SESSION lock_wait_timeout = 10;
/* [jooq ignore stop] */

-- The one hot table. The transaction that settles a message deletes its row. Never add a second unique key, and never
-- truncate the table: ids would start again, and a stale ack could delete a new message.
CREATE TABLE IF NOT EXISTS queue_message (
  id BIGINT NOT NULL AUTO_INCREMENT,
  topic VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  -- 0 available, 1 claimed, 2 scheduled, 3 blocked by its ordering key, 4 has an ordering key and is not admitted yet
  state TINYINT NOT NULL /* [jooq ignore start] */ DEFAULT (IF(ordering_key IS NULL, 0, 4)) /* [jooq ignore stop] */,
  priority TINYINT NOT NULL DEFAULT 0,
  -- constant for a message in state 4, so that queue_message_due lists such messages by id
  due_at DATETIME(6) NOT NULL /* [jooq ignore start] */
    DEFAULT (IF(ordering_key IS NULL, UTC_TIMESTAMP(6), TIMESTAMP'1970-01-01 00:00:00')) /* [jooq ignore stop] */,
  lock_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  claim_number INT NOT NULL DEFAULT 0,
  attempts INT NOT NULL DEFAULT 0,
  lost_claims INT NOT NULL DEFAULT 0,
  handler_started TINYINT NOT NULL DEFAULT 0,
  created_at DATETIME(6) NOT NULL /* [jooq ignore start] */ DEFAULT (UTC_TIMESTAMP(6)) /* [jooq ignore stop] */,
  updated_at DATETIME(6) NOT NULL /* [jooq ignore start] */ DEFAULT (UTC_TIMESTAMP(6)) /* [jooq ignore stop] */,
  headers LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  payload LONGBLOB NOT NULL,
  ordering_key VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  batch_id BIGINT NULL,
  PRIMARY KEY (id)
  /* [jooq ignore start] */ , INDEX queue_message_claim (topic, state, priority, id), INDEX queue_message_due (state, due_at) /* [jooq ignore stop] */
  -- 'email ' equals 'email' in SQL: it would be claimed for a topic that no handler has.
  /* [jooq ignore start] */ , CONSTRAINT queue_message_topic CHECK (topic <> '' AND topic NOT LIKE '% ') /* [jooq ignore stop] */
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- One row per worker. A claim whose lock_id has no live row here is orphaned and is reaped.
CREATE TABLE IF NOT EXISTS queue_worker (
  lock_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  host VARCHAR(255) NOT NULL,
  pid BIGINT NOT NULL,
  is_alive TINYINT NOT NULL DEFAULT 1,
  draining TINYINT NOT NULL DEFAULT 0,
  -- 1: claims no messages until it is resumed
  paused TINYINT NOT NULL DEFAULT 0,
  lease_until DATETIME(6) NOT NULL,
  listener_connection BIGINT NULL,
  server_identity VARCHAR(255) NULL,
  server_started_at DATETIME(6) NULL,
  version VARCHAR(64) NOT NULL,
  topics LONGTEXT NOT NULL,
  -- What it did at its last renewal; null if it has not renewed yet
  threads INT NULL,
  busy_threads INT NULL,
  handled BIGINT NULL,
  handled_per_second DOUBLE NULL,
  memory_used BIGINT NULL,
  memory_max BIGINT NULL,
  started_at DATETIME(6) NOT NULL,
  updated_at DATETIME(6) NOT NULL,
  PRIMARY KEY (lock_id)
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- One row per failed attempt of a message. A dead letter keeps its attempts until it is redriven or deleted.
CREATE TABLE IF NOT EXISTS queue_attempt (
  message_id BIGINT NOT NULL,
  claim_number INT NOT NULL,
  attempt INT NOT NULL,
  worker VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  failed_at DATETIME(6) NOT NULL,
  error_class VARCHAR(255) NOT NULL,
  error_message TEXT NOT NULL,
  error_trace MEDIUMTEXT NOT NULL,
  PRIMARY KEY (message_id, claim_number)
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

CREATE TABLE IF NOT EXISTS queue_dead_letter (
  id BIGINT NOT NULL,
  topic VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  priority TINYINT NOT NULL,
  claim_number INT NOT NULL,
  attempts INT NOT NULL,
  lost_claims INT NOT NULL,
  reason VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  detail TEXT NOT NULL,
  -- a hash of detail's first line without its numbers and quoted values: equal for dead letters with the same error
  fingerprint BIGINT NOT NULL DEFAULT 0,
  worker VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  due_at DATETIME(6) NOT NULL,
  created_at DATETIME(6) NOT NULL,
  dead_at DATETIME(6) NOT NULL,
  headers LONGTEXT NULL,
  payload LONGBLOB NOT NULL,
  ordering_key VARCHAR(255) NULL,
  batch_id BIGINT NULL,
  PRIMARY KEY (id)
  /* [jooq ignore start] */ , INDEX queue_dead_letter_by_topic (topic, id), INDEX queue_dead_letter_by_time (dead_at), INDEX queue_dead_letter_by_topic_time (topic, dead_at), INDEX queue_dead_letter_by_error (topic, fingerprint, dead_at) /* [jooq ignore stop] */
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- Copies of the acknowledged messages of topics with retention_days. The primary key ends with the day, so that an
-- operator may partition the table by day.
CREATE TABLE IF NOT EXISTS queue_archive (
  id BIGINT NOT NULL,
  settled_day DATE NOT NULL,
  topic VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  priority TINYINT NOT NULL,
  claim_number INT NOT NULL,
  attempts INT NOT NULL,
  lost_claims INT NOT NULL,
  worker VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  due_at DATETIME(6) NOT NULL,
  created_at DATETIME(6) NOT NULL,
  settled_at DATETIME(6) NOT NULL,
  -- how long its handler took; of a batch, all of it
  handling_micros BIGINT NOT NULL DEFAULT 0,
  headers LONGTEXT NULL,
  payload LONGBLOB NOT NULL,
  ordering_key VARCHAR(255) NULL,
  batch_id BIGINT NULL,
  PRIMARY KEY (id, settled_day)
  /* [jooq ignore start] */ , INDEX queue_archive_by_topic (topic, settled_day, id) /* [jooq ignore stop] */
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- A counter split into slots, so that its writers do not wait for one row. Slots are numbered from 0 without a gap.
-- No slot is below zero, so the sum is never below zero, whatever other transactions write to other slots.
CREATE TABLE IF NOT EXISTS queue_counter (
  name VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  slot SMALLINT NOT NULL,
  amount BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (name, slot)
  /* [jooq ignore start] */ , CONSTRAINT queue_counter_amount CHECK (amount >= 0) /* [jooq ignore stop] */
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- Schedules. Any worker that finds next_at passed enqueues the message and sets the next next_at, in one transaction.
CREATE TABLE IF NOT EXISTS queue_schedule (
  name VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  topic VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  -- a cron expression in zone, or an interval; never both
  cron VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NULL,
  zone VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'UTC',
  every_micros BIGINT NULL,
  -- 0 skip, 1 once, 2 all
  misfire TINYINT NOT NULL DEFAULT 1,
  -- for skip: a run that is later than this counts as missed
  grace_micros BIGINT NOT NULL DEFAULT 60000000,
  paused TINYINT NOT NULL DEFAULT 0,
  -- an operator changed what the code declares
  overridden TINYINT NOT NULL DEFAULT 0,
  -- 1970: not computed yet
  next_at DATETIME(6) NOT NULL DEFAULT '1970-01-01 00:00:00.000000',
  -- the scheduled time of the last run
  last_at DATETIME(6) NULL,
  -- the last start of a worker whose code declares the schedule
  declared_at DATETIME(6) NULL,
  priority TINYINT NOT NULL DEFAULT 0,
  headers LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  payload LONGBLOB NOT NULL,
  PRIMARY KEY (name)
  /* [jooq ignore start] */ , INDEX queue_schedule_due (paused, next_at) /* [jooq ignore stop] */
  /* [jooq ignore start] */
  , CONSTRAINT queue_schedule_topic CHECK (topic <> '' AND topic NOT LIKE '% ')
  , CONSTRAINT queue_schedule_clock CHECK ((cron IS NULL) <> (every_micros IS NULL))
  /* [jooq ignore stop] */
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- A producer that publishes under a source holds a shared lock on its row until COMMIT; a change of its subscriptions
-- takes the row exclusively. So the two never overlap. Rows are never deleted.
CREATE TABLE IF NOT EXISTS queue_publication_lock (
  source VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  -- incremented by each change of subscriptions: Galera certifies writes between nodes, not locks
  version BIGINT NOT NULL,
  PRIMARY KEY (source)
  /* [jooq ignore start] */ , CONSTRAINT queue_publication_lock_source CHECK (source <> '' AND source NOT LIKE '% ') /* [jooq ignore stop] */
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- A message published under source is copied into topic.
CREATE TABLE IF NOT EXISTS queue_subscription (
  source VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  topic VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  -- set by an operator: no copies are made; the start of a worker does not undo it
  paused TINYINT NOT NULL DEFAULT 0,
  PRIMARY KEY (source, topic)
  /* [jooq ignore start] */ , CONSTRAINT queue_subscription_topic CHECK (topic <> '' AND topic NOT LIKE '% ') /* [jooq ignore stop] */
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- Payloads stored separately, in chunks (header rowqueue-body: `rows`). The message keeps its id as a dead letter and
-- after a redrive, so the chunks stay where they are. Chunks without a message are swept.
CREATE TABLE IF NOT EXISTS queue_payload_chunk (
  message_id BIGINT NOT NULL,
  seq INT NOT NULL,
  -- set on the last chunk only, like sha256: the hash of the whole payload, NULL if the producer did not compute it
  is_last TINYINT NOT NULL DEFAULT 0,
  bytes MEDIUMBLOB NOT NULL,
  sha256 BINARY(32) NULL,
  PRIMARY KEY (message_id, seq)
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- Payloads stored outside the database, in the named body store (header rowqueue-body: `stored`).
CREATE TABLE IF NOT EXISTS queue_payload_ref (
  message_id BIGINT NOT NULL,
  store VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  reference VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  bytes BIGINT NOT NULL,
  sha256 BINARY(32) NOT NULL,
  PRIMARY KEY (message_id)
  /* [jooq ignore start] */ , INDEX queue_payload_ref_by_reference (store, reference) /* [jooq ignore stop] */
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- Operators' settings of a topic; a topic without a row has the defaults.
CREATE TABLE IF NOT EXISTS queue_topic (
  topic VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  paused TINYINT NOT NULL DEFAULT 0,
  -- days for which the archive keeps copies of acknowledged messages; NULL: no copies are made
  retention_days INT NULL,
  -- limits of the whole cluster: messages handled at once, messages started per second; NULL: no limit
  max_in_flight INT NULL,
  max_per_second INT NULL,
  -- limits per ordering key: messages handled at once (NULL: one), messages started per second (NULL: no limit)
  key_max_in_flight INT NULL,
  key_max_per_second INT NULL,
  -- relative share of each worker's threads; NULL: the worker's own setting
  weight INT NULL,
  -- the value of key_max_in_flight that was last applied to the topic's ordering groups
  key_max_in_flight_applied INT NULL,
  -- when a worker last found available messages of the topic and no free slot
  starved_at DATETIME(6) NULL,
  -- back-pressure limits: waiting messages, age of the oldest; NULL: not limited
  max_depth BIGINT NULL,
  max_age_seconds INT NULL,
  -- 1: messages behind a dead letter of their ordering key proceed; 0: they are blocked by it
  skip_dead_letters TINYINT NOT NULL DEFAULT 0,
  updated_at DATETIME(6) NOT NULL /* [jooq ignore start] */ DEFAULT (UTC_TIMESTAMP(6)) /* [jooq ignore stop] */,
  PRIMARY KEY (topic)
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- Each row is a permit to handle one message of a topic with max_in_flight. Slots are numbered from 0. A worker holds
-- the slots that carry its lock_id; a slot without one is free. Rows are never deleted.
CREATE TABLE IF NOT EXISTS queue_slot (
  topic VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  slot SMALLINT NOT NULL,
  lock_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  taken_at DATETIME(6) NULL,
  PRIMARY KEY (topic, slot)
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- Token buckets of the topics with max_per_second: the tokens at the last refill.
CREATE TABLE IF NOT EXISTS queue_rate (
  topic VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  tokens DECIMAL(20, 6) NOT NULL,
  filled_at DATETIME(6) NOT NULL,
  PRIMARY KEY (topic)
  /* [jooq ignore start] */ , CONSTRAINT queue_rate_tokens CHECK (tokens >= 0) /* [jooq ignore stop] */
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- The last depth sample of each topic with back-pressure limits, written by workers.
CREATE TABLE IF NOT EXISTS queue_depth (
  topic VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  is_full TINYINT NOT NULL DEFAULT 0,
  -- counted up to the limit plus one
  depth BIGINT NOT NULL,
  oldest_seconds INT NOT NULL,
  -- how long the sample took; the next is taken after twenty times as long
  sample_micros BIGINT NOT NULL,
  sampled_at DATETIME(6) NOT NULL,
  PRIMARY KEY (topic)
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- What workers did, by topic and period, for the dashboard and `top`. Each worker adds its figures once a minute to the
-- rows of the current minute, ten minutes and hour. Rows of topic '' have the growth of the ids of queue_message.
CREATE TABLE IF NOT EXISTS queue_statistics (
  -- the length of the period: 1, 10 or 60
  minutes SMALLINT NOT NULL,
  starts_at DATETIME(6) NOT NULL,
  topic VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  -- derived: completed and dead-lettered messages plus the change of depth; NULL: unknown in some minute of the period
  enqueued BIGINT NULL DEFAULT 0,
  -- messages in the queue in the last minute of the period; NULL: unknown
  depth BIGINT NULL,
  -- 1: there were too many to count, so depth is an estimate
  depth_estimated TINYINT NOT NULL DEFAULT 0,
  oldest_seconds INT NULL,
  -- only of topic '': the next id of queue_message
  next_id BIGINT NULL,
  completed BIGINT NOT NULL DEFAULT 0,
  retried BIGINT NOT NULL DEFAULT 0,
  dead_lettered BIGINT NOT NULL DEFAULT 0,
  -- the time that handler threads were busy
  handling_micros BIGINT NOT NULL DEFAULT 0,
  -- attempts by handling time and first attempts by pickup latency: at most 1, 2, 5, 10, 25, 50, 100, 250 and 500 ms,
  -- 1, 2.5, 5, 10, 30 and 60 s, and longer
  handling_0 INT NOT NULL DEFAULT 0, handling_1 INT NOT NULL DEFAULT 0, handling_2 INT NOT NULL DEFAULT 0, handling_3 INT NOT NULL DEFAULT 0, handling_4 INT NOT NULL DEFAULT 0, handling_5 INT NOT NULL DEFAULT 0, handling_6 INT NOT NULL DEFAULT 0, handling_7 INT NOT NULL DEFAULT 0,
  handling_8 INT NOT NULL DEFAULT 0, handling_9 INT NOT NULL DEFAULT 0, handling_10 INT NOT NULL DEFAULT 0, handling_11 INT NOT NULL DEFAULT 0, handling_12 INT NOT NULL DEFAULT 0, handling_13 INT NOT NULL DEFAULT 0, handling_14 INT NOT NULL DEFAULT 0, handling_15 INT NOT NULL DEFAULT 0,
  pickup_0 INT NOT NULL DEFAULT 0, pickup_1 INT NOT NULL DEFAULT 0, pickup_2 INT NOT NULL DEFAULT 0, pickup_3 INT NOT NULL DEFAULT 0, pickup_4 INT NOT NULL DEFAULT 0, pickup_5 INT NOT NULL DEFAULT 0, pickup_6 INT NOT NULL DEFAULT 0, pickup_7 INT NOT NULL DEFAULT 0,
  pickup_8 INT NOT NULL DEFAULT 0, pickup_9 INT NOT NULL DEFAULT 0, pickup_10 INT NOT NULL DEFAULT 0, pickup_11 INT NOT NULL DEFAULT 0, pickup_12 INT NOT NULL DEFAULT 0, pickup_13 INT NOT NULL DEFAULT 0, pickup_14 INT NOT NULL DEFAULT 0, pickup_15 INT NOT NULL DEFAULT 0,
  PRIMARY KEY (minutes, starts_at, topic)
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- The latest progress report of each message's handler. A row whose claim_number is not the message's is stale.
CREATE TABLE IF NOT EXISTS queue_progress (
  message_id BIGINT NOT NULL,
  claim_number INT NOT NULL,
  done BIGINT NOT NULL,
  total BIGINT NULL,
  note VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '',
  updated_at DATETIME(6) NOT NULL,
  PRIMARY KEY (message_id)
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- Cancellation requests for messages that a worker had claimed at the time of the request.
CREATE TABLE IF NOT EXISTS queue_cancel_request (
  message_id BIGINT NOT NULL,
  requested_at DATETIME(6) NOT NULL /* [jooq ignore start] */ DEFAULT (UTC_TIMESTAMP(6)) /* [jooq ignore stop] */,
  requested_by VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '',
  PRIMARY KEY (message_id)
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- Results of handlers, written in the transaction that deletes the message.
CREATE TABLE IF NOT EXISTS queue_result (
  message_id BIGINT NOT NULL,
  expires_at DATETIME(6) NOT NULL,
  topic VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  settled_at DATETIME(6) NOT NULL,
  -- how content is wrapped; NULL: not wrapped
  headers LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  -- NULL: the handler returned null
  content LONGBLOB NULL,
  PRIMARY KEY (message_id)
  /* [jooq ignore start] */ , INDEX queue_result_by_time (expires_at) /* [jooq ignore stop] */
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- Changes that operators made, on the dashboard or by a command, one row each.
CREATE TABLE IF NOT EXISTS queue_audit (
  id BIGINT NOT NULL AUTO_INCREMENT,
  at DATETIME(6) NOT NULL /* [jooq ignore start] */ DEFAULT (UTC_TIMESTAMP(6)) /* [jooq ignore stop] */,
  -- the user of the dashboard, or of the operating system for a command
  actor VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  -- the client's address, or the host of the command
  origin VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  -- such as topic.purge, or the words of the command
  action VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  target TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  result TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (id)
  /* [jooq ignore start] */ , INDEX queue_audit_by_time (at), INDEX queue_audit_by_target (target(64)) /* [jooq ignore stop] */
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- Processes that await results, each with the connection on which it waits for a notification.
CREATE TABLE IF NOT EXISTS queue_result_listener (
  listener VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  listener_connection BIGINT NOT NULL,
  server_identity VARCHAR(255) NOT NULL,
  lease_until DATETIME(6) NOT NULL,
  PRIMARY KEY (listener)
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- Batches: many messages, one completion message. open_shards counts the unfinished shards; the transaction that
-- finishes the last one completes the batch.
CREATE TABLE IF NOT EXISTS queue_batch (
  id BIGINT NOT NULL AUTO_INCREMENT,
  name VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  -- the shard of the parent batch of which this batch is a member
  parent_shard BIGINT NULL,
  closed TINYINT NOT NULL DEFAULT 0,
  cancelled TINYINT NOT NULL DEFAULT 0,
  shards TINYINT NOT NULL,
  open_shards INT NOT NULL,
  -- topic of the completion message; NULL: the batch has none
  topic VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL,
  priority TINYINT NOT NULL DEFAULT 0,
  headers LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  payload LONGBLOB NULL,
  created_at DATETIME(6) NOT NULL,
  completed_at DATETIME(6) NULL,
  PRIMARY KEY (id)
  /* [jooq ignore start] */ , INDEX queue_batch_by_completion (completed_at), INDEX queue_batch_by_cancellation (cancelled, completed_at), INDEX queue_batch_by_parent (parent_shard) /* [jooq ignore stop] */
  /* [jooq ignore start] */ , CONSTRAINT queue_batch_open CHECK (open_shards >= 0) /* [jooq ignore stop] */
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- Counts of a batch's members, split over shards, so that settlements do not wait for one row. The id is the batch's id
-- times 64 plus the shard's number; messages carry it in batch_id.
CREATE TABLE IF NOT EXISTS queue_batch_shard (
  id BIGINT NOT NULL,
  -- 0: a dead letter counts as settled; 1: the batch waits for its redrive or discard
  waits_for_dead TINYINT NOT NULL,
  -- one too many until the batch is closed
  open_members INT NOT NULL,
  total INT NOT NULL DEFAULT 0,
  acked INT NOT NULL DEFAULT 0,
  dead INT NOT NULL DEFAULT 0,
  cancelled INT NOT NULL DEFAULT 0,
  -- no message of the shard has a lower id
  first_message BIGINT NULL,
  PRIMARY KEY (id)
  /* [jooq ignore start] */ , CONSTRAINT queue_batch_shard_open CHECK (open_members >= 0) /* [jooq ignore stop] */
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- Chains: messages that follow one another. The current message carries the negated chain id in batch_id.
CREATE TABLE IF NOT EXISTS queue_chain (
  id BIGINT NOT NULL AUTO_INCREMENT,
  name VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  created_at DATETIME(6) NOT NULL,
  -- the batch shard of which the chain is a member
  batch_id BIGINT NULL,
  -- the current message
  message_id BIGINT NULL,
  PRIMARY KEY (id)
  /* [jooq ignore start] */ , INDEX queue_chain_by_batch (batch_id) /* [jooq ignore stop] */
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- The remaining steps of each chain.
CREATE TABLE IF NOT EXISTS queue_chain_step (
  chain_id BIGINT NOT NULL,
  step SMALLINT NOT NULL,
  topic VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  priority TINYINT NOT NULL,
  delay_micros BIGINT NOT NULL,
  headers LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  payload LONGBLOB NOT NULL,
  PRIMARY KEY (chain_id, step)
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- Deduplication keys. Producers lock them in ascending order. A producer that uses a key again checks whether its message
-- still exists, so settlements need not touch this table. Expired keys are pruned.
CREATE TABLE IF NOT EXISTS queue_deduplication (
  -- the first half of SHA-256 over topic, a zero byte and key
  dedup_id BINARY(16) NOT NULL,
  topic VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  dedup_key VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  message_id BIGINT NULL,
  -- the end of the key's window; NULL: no window
  held_until DATETIME(6) NULL,
  version BIGINT NOT NULL,
  updated_at DATETIME(6) NOT NULL,
  PRIMARY KEY (dedup_id)
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- Locks of ordering keys, written only by producers, in ascending order. A producer holds its key's row from before its
-- INSERT until its COMMIT, so producers of one key do not overlap and ids follow the order of commits.
CREATE TABLE IF NOT EXISTS queue_ordering_lock (
  -- the first half of SHA-256 over topic, a zero byte and key
  group_id BINARY(16) NOT NULL,
  version BIGINT NOT NULL,
  updated_at DATETIME(6) NOT NULL,
  PRIMARY KEY (group_id)
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- Messages that wait in their ordering group, and those that may be handled concurrently with its first message.
-- Written by producers, and by a transaction that holds the lock on the group's row in queue_ordering_group.
CREATE TABLE IF NOT EXISTS queue_ordering_member (
  group_id BINARY(16) NOT NULL,
  -- 0: waits; 1: may be handled concurrently with the first message, for topics with key_max_in_flight
  running TINYINT NOT NULL DEFAULT 0,
  message_id BIGINT NOT NULL,
  PRIMARY KEY (group_id, running, message_id)
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- Ordering groups: the message of each key that may be handled, or the first of them if the key allows several.
CREATE TABLE IF NOT EXISTS queue_ordering_group (
  group_id BINARY(16) NOT NULL,
  topic VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  ordering_key VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  -- NULL: no message of the group may be handled
  message_id BIGINT NULL,
  -- lower bound of the ids that wait; a new message below it lowers it. Avoids scanning deleted index entries
  scan_from BIGINT NOT NULL DEFAULT 0,
  -- 1: a message may wait behind a first message that is gone, or until next_at
  needs_release TINYINT NOT NULL DEFAULT 0,
  -- 1: members of the group may be running
  has_concurrent TINYINT NOT NULL DEFAULT 0,
  -- earliest start of the next message, for topics with key_max_per_second
  next_at DATETIME(6) NOT NULL DEFAULT '1970-01-01 00:00:00.000000',
  version BIGINT NOT NULL,
  updated_at DATETIME(6) NOT NULL,
  PRIMARY KEY (group_id)
  /* [jooq ignore start] */ , INDEX queue_ordering_group_release (needs_release, next_at) /* [jooq ignore stop] */
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- One row per schema version. A jar must know at least version oldest_known to run on it.
CREATE TABLE IF NOT EXISTS queue_schema (
  version INT NOT NULL,
  oldest_known INT NOT NULL,
  installed_at DATETIME(6) NOT NULL /* [jooq ignore start] */ DEFAULT (UTC_TIMESTAMP(6)) /* [jooq ignore stop] */,
  -- version 1 only: identifies this queue in idempotency keys
  queue_name VARCHAR(36) CHARACTER SET ascii COLLATE ascii_bin NULL,
  PRIMARY KEY (version)
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

/* [jooq ignore start] */
INSERT IGNORE INTO queue_schema (version, oldest_known, queue_name) VALUES (1, 1, UUID());
/* [jooq ignore stop] */
