-- RowQueue, schema version 1. Runs on MySQL 8.0.16 and later and on MariaDB 10.6 and later.
-- jOOQ's classes are generated from this file; what its DDL reader does not know stands between
-- ignore comments, and the servers still run it.

-- The server's default of a year would let a waiting ALTER block every claim behind it.
/* [jooq ignore start] */
SET SESSION lock_wait_timeout = 10;
/* [jooq ignore stop] */

-- The one hot table. Settled messages leave it in the transaction that settles them. It never gets a
-- second unique key and is never truncated: ids would start again, and a stale ack could delete a new message.
CREATE TABLE IF NOT EXISTS queue_message (
  id BIGINT NOT NULL AUTO_INCREMENT,
  topic VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  -- 0 available, 1 claimed, 2 scheduled, 3 in the line of its ordering key, 4 with such a key and not seen yet
  state TINYINT NOT NULL /* [jooq ignore start] */ DEFAULT (IF(ordering_key IS NULL, 0, 4)) /* [jooq ignore stop] */,
  priority TINYINT NOT NULL DEFAULT 0,
  -- a message that nobody has seen yet has a constant, so that the index holds such messages by id
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
  -- 'email ' equals 'email' in SQL, and would be claimed for a topic that no handler has.
  /* [jooq ignore start] */ , CONSTRAINT queue_message_topic CHECK (topic <> '' AND topic NOT LIKE '% ') /* [jooq ignore stop] */
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- A row a worker. A claim whose lock_id has no live row here belongs to nobody and is reaped.
CREATE TABLE IF NOT EXISTS queue_worker (
  lock_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  host VARCHAR(255) NOT NULL,
  pid BIGINT NOT NULL,
  is_alive TINYINT NOT NULL DEFAULT 1,
  draining TINYINT NOT NULL DEFAULT 0,
  lease_until DATETIME(6) NOT NULL,
  listener_connection BIGINT NULL,
  server_identity VARCHAR(255) NULL,
  server_started_at DATETIME(6) NULL,
  version VARCHAR(64) NOT NULL,
  topics LONGTEXT NOT NULL,
  started_at DATETIME(6) NOT NULL,
  updated_at DATETIME(6) NOT NULL,
  PRIMARY KEY (lock_id)
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- One row a failed attempt of a message, and of a dead letter until it is redriven or deleted.
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
  worker VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  due_at DATETIME(6) NOT NULL,
  created_at DATETIME(6) NOT NULL,
  dead_at DATETIME(6) NOT NULL,
  headers LONGTEXT NULL,
  payload LONGBLOB NOT NULL,
  ordering_key VARCHAR(255) NULL,
  batch_id BIGINT NULL,
  PRIMARY KEY (id)
  /* [jooq ignore start] */ , INDEX queue_dead_letter_by_topic (topic, id), INDEX queue_dead_letter_by_time (dead_at) /* [jooq ignore stop] */
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- Copies of the acknowledged messages of the topics that keep them. The key ends with the day, so that an
-- operator may partition the table by it.
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
  headers LONGTEXT NULL,
  payload LONGBLOB NOT NULL,
  ordering_key VARCHAR(255) NULL,
  batch_id BIGINT NULL,
  PRIMARY KEY (id, settled_day)
  /* [jooq ignore start] */ , INDEX queue_archive_by_topic (topic, settled_day, id) /* [jooq ignore stop] */
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- A hot value spread over slots, so that its writers do not wait for one row. Its slots are 0, 1 and so on
-- without a gap; none is below zero, so their sum is not either, whoever else writes another.
CREATE TABLE IF NOT EXISTS queue_counter (
  name VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  slot SMALLINT NOT NULL,
  amount BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (name, slot)
  /* [jooq ignore start] */ , CONSTRAINT queue_counter_amount CHECK (amount >= 0) /* [jooq ignore stop] */
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- What comes by the clock. Any worker that finds next_at passed enqueues the message and moves it on, in one transaction.
CREATE TABLE IF NOT EXISTS queue_schedule (
  name VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  topic VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  -- a crontab line in zone, or a rate; never both
  cron VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NULL,
  zone VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'UTC',
  every_micros BIGINT NULL,
  -- 0 skip, 1 once, 2 all
  misfire TINYINT NOT NULL DEFAULT 1,
  -- for skip: later than this counts as missed
  grace_micros BIGINT NOT NULL DEFAULT 60000000,
  paused TINYINT NOT NULL DEFAULT 0,
  -- an operator changed what code declares
  overridden TINYINT NOT NULL DEFAULT 0,
  -- 1970: not reckoned yet
  next_at DATETIME(6) NOT NULL DEFAULT '1970-01-01 00:00:00.000000',
  -- the time that the last firing stood for
  last_at DATETIME(6) NULL,
  -- the last start of a worker that has it in its code
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

-- Whoever publishes under a source shares its row until the COMMIT; whoever changes its subscriptions has it alone.
-- So the two never overlap. Rows are never deleted.
CREATE TABLE IF NOT EXISTS queue_publication_lock (
  source VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  -- how often its subscriptions were changed; a lock alone is not certified between nodes
  version BIGINT NOT NULL,
  PRIMARY KEY (source)
  /* [jooq ignore start] */ , CONSTRAINT queue_source_source CHECK (source <> '' AND source NOT LIKE '% ') /* [jooq ignore stop] */
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- A message that is published under source is copied into topic.
CREATE TABLE IF NOT EXISTS queue_subscription (
  source VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  topic VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  -- an operator's: no copies, and a worker's start does not undo it
  paused TINYINT NOT NULL DEFAULT 0,
  PRIMARY KEY (source, topic)
  /* [jooq ignore start] */ , CONSTRAINT queue_subscription_topic CHECK (topic <> '' AND topic NOT LIKE '% ') /* [jooq ignore stop] */
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- Payloads that lie beside their messages' rows, in chunks; whose header rowqueue-body says `rows`. The message's id is
-- theirs through dead letter and redrive. What no message owns any more is swept.
CREATE TABLE IF NOT EXISTS queue_payload_chunk (
  message_id BIGINT NOT NULL,
  seq INT NOT NULL,
  -- known with the last chunk only, like sha256: of all chunks together, NULL if the producer did not reckon it
  is_last TINYINT NOT NULL DEFAULT 0,
  bytes MEDIUMBLOB NOT NULL,
  sha256 BINARY(32) NULL,
  PRIMARY KEY (message_id, seq)
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- The same outside the database, in the store of that name; whose header rowqueue-body says `stored`.
CREATE TABLE IF NOT EXISTS queue_payload_ref (
  message_id BIGINT NOT NULL,
  store VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  reference VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  bytes BIGINT NOT NULL,
  sha256 BINARY(32) NOT NULL,
  PRIMARY KEY (message_id)
  /* [jooq ignore start] */ , INDEX queue_stored_body_by_reference (store, reference) /* [jooq ignore stop] */
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- What operators set for a topic; a topic without a row has the defaults.
CREATE TABLE IF NOT EXISTS queue_topic (
  topic VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  paused TINYINT NOT NULL DEFAULT 0,
  -- for how many days copies of its acknowledged messages stay in the archive; NULL: none are made
  retention_days INT NULL,
  -- so many handlings of it run at once, and so many messages of it are begun a second, in the whole cluster;
  -- NULL: as many as its workers like
  max_in_flight INT NULL,
  max_per_second INT NULL,
  -- so many of one ordering key are handled at once, and so many of one key begin a second; NULL: one after the other,
  -- and as fast as they are handled
  key_max_in_flight INT NULL,
  key_max_per_second INT NULL,
  -- what key_max_in_flight was when its lines were last looked after
  key_max_in_flight_applied INT NULL,
  -- when a worker last found work for it and no free slot
  starved_at DATETIME(6) NULL,
  -- it is overfull when so many of its messages wait, and the oldest for so long; NULL: that is no reason
  max_depth BIGINT NULL,
  max_age_seconds INT NULL,
  -- whether a dead letter is stepped over by those behind it in line; otherwise it holds them
  skip_dead_letters TINYINT NOT NULL DEFAULT 0,
  updated_at DATETIME(6) NOT NULL /* [jooq ignore start] */ DEFAULT (UTC_TIMESTAMP(6)) /* [jooq ignore stop] */,
  PRIMARY KEY (topic)
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- Each row lets one handling of a topic with max_in_flight run. Slots are 0, 1 and so on; a worker holds those that
-- carry its lock_id, and nobody those without one. They are freed, never deleted.
CREATE TABLE IF NOT EXISTS queue_slot (
  topic VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  slot SMALLINT NOT NULL,
  lock_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  taken_at DATETIME(6) NULL,
  PRIMARY KEY (topic, slot)
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- How many messages of a topic with max_per_second might have been begun when it was filled last.
CREATE TABLE IF NOT EXISTS queue_rate (
  topic VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  tokens DECIMAL(20, 6) NOT NULL,
  filled_at DATETIME(6) NOT NULL,
  PRIMARY KEY (topic)
  /* [jooq ignore start] */ , CONSTRAINT queue_rate_tokens CHECK (tokens >= 0) /* [jooq ignore stop] */
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- How full workers last found the topics that may be overfull.
CREATE TABLE IF NOT EXISTS queue_depth (
  topic VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  is_full TINYINT NOT NULL DEFAULT 0,
  -- counted up to the limit and one more
  depth BIGINT NOT NULL,
  oldest_seconds INT NOT NULL,
  -- of this judgement; the next comes when twenty times as much has passed
  sample_micros BIGINT NOT NULL,
  sampled_at DATETIME(6) NOT NULL,
  PRIMARY KEY (topic)
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- What the handlers of claimed messages said last of how far they are; a row whose claims is not the message's says nothing.
CREATE TABLE IF NOT EXISTS queue_progress (
  message_id BIGINT NOT NULL,
  claim_number INT NOT NULL,
  done BIGINT NOT NULL,
  total BIGINT NULL,
  note VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '',
  updated_at DATETIME(6) NOT NULL,
  PRIMARY KEY (message_id)
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- Messages that somebody wants cancelled, and that a worker had claimed when he said so.
CREATE TABLE IF NOT EXISTS queue_cancel_request (
  message_id BIGINT NOT NULL,
  requested_at DATETIME(6) NOT NULL /* [jooq ignore start] */ DEFAULT (UTC_TIMESTAMP(6)) /* [jooq ignore stop] */,
  requested_by VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '',
  PRIMARY KEY (message_id)
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- What handlers of topics with results gave back, written in the transaction that deletes the message.
CREATE TABLE IF NOT EXISTS queue_result (
  message_id BIGINT NOT NULL,
  topic VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  settled_at DATETIME(6) NOT NULL,
  expires_at DATETIME(6) NOT NULL,
  -- how content is wrapped; NULL: it is not
  headers LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  -- NULL: the handler returned null
  content LONGBLOB NULL,
  PRIMARY KEY (message_id)
  /* [jooq ignore start] */ , INDEX queue_result_by_time (expires_at) /* [jooq ignore stop] */
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- A process that awaits results, and the connection on which it sleeps until a worker wakes it.
CREATE TABLE IF NOT EXISTS queue_result_listener (
  listener VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  listener_connection BIGINT NOT NULL,
  server_identity VARCHAR(255) NOT NULL,
  lease_until DATETIME(6) NOT NULL,
  PRIMARY KEY (listener)
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- Many messages with one completion message. How many of its leaves are open; who closes the last completes it.
CREATE TABLE IF NOT EXISTS queue_batch (
  id BIGINT NOT NULL AUTO_INCREMENT,
  name VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  -- the leaf of another batch, of which this one is a member
  parent_shard BIGINT NULL,
  closed TINYINT NOT NULL DEFAULT 0,
  cancelled TINYINT NOT NULL DEFAULT 0,
  shards TINYINT NOT NULL,
  open_shards INT NOT NULL,
  -- of the completion message; NULL: it has none
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

-- What has become of a batch's members, spread over leaves, so that their settlements do not wait for one row. The id is the
-- batch's times 64, and the leaf's number; messages name it in batch_id.
CREATE TABLE IF NOT EXISTS queue_batch_shard (
  id BIGINT NOT NULL,
  -- 0: a dead letter counts as settled; 1: the batch waits for its redrive or discard
  waits_for_dead TINYINT NOT NULL,
  -- one more than there are until the batch is sealed
  open_members INT NOT NULL,
  total INT NOT NULL DEFAULT 0,
  acked INT NOT NULL DEFAULT 0,
  dead INT NOT NULL DEFAULT 0,
  cancelled INT NOT NULL DEFAULT 0,
  -- nothing of it has a lower id
  first_message BIGINT NULL,
  PRIMARY KEY (id)
  /* [jooq ignore start] */ , CONSTRAINT queue_batch_leaf_open CHECK (open_members >= 0) /* [jooq ignore stop] */
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- Messages one behind another. The one that is there names its chain in batch_id, below zero.
CREATE TABLE IF NOT EXISTS queue_chain (
  id BIGINT NOT NULL AUTO_INCREMENT,
  name VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  created_at DATETIME(6) NOT NULL,
  -- the leaf of which it is a member
  batch_id BIGINT NULL,
  -- where it is now
  message_id BIGINT NULL,
  PRIMARY KEY (id)
  /* [jooq ignore start] */ , INDEX queue_chain_by_batch (batch_id) /* [jooq ignore stop] */
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- The steps to come.
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

-- Keys under which messages are enqueued once. Producers lock them in ascending order; what a key names is asked when it is
-- used again, so that settlements know nothing of it. Pruned once nothing holds it.
CREATE TABLE IF NOT EXISTS queue_deduplication (
  -- the first half of SHA-256 over topic, a zero byte and key
  dedup_id BINARY(16) NOT NULL,
  topic VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  dedup_key VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  message_id BIGINT NULL,
  -- the end of its window; NULL: it has none
  held_until DATETIME(6) NULL,
  version BIGINT NOT NULL,
  updated_at DATETIME(6) NOT NULL,
  PRIMARY KEY (dedup_id)
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- Ordering keys that somebody enqueued under. Producers alone write here, in ascending order: who has its key's row from
-- before its INSERT until its COMMIT overlaps with no other producer of the key, so that ids follow commits.
CREATE TABLE IF NOT EXISTS queue_ordering_lock (
  -- the first half of SHA-256 over topic, a zero byte and key
  group_id BINARY(16) NOT NULL,
  version BIGINT NOT NULL,
  updated_at DATETIME(6) NOT NULL,
  PRIMARY KEY (group_id)
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- Who waits in line. Written by producers, and by whoever has locked the line's head.
CREATE TABLE IF NOT EXISTS queue_ordering_member (
  group_id BINARY(16) NOT NULL,
  message_id BIGINT NOT NULL,
  PRIMARY KEY (group_id, message_id)
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- Who may be handled beside the head of its line, where the topic has key_max_in_flight. Written by whoever has locked the head.
CREATE TABLE IF NOT EXISTS queue_ordering_running (
  group_id BINARY(16) NOT NULL,
  message_id BIGINT NOT NULL,
  PRIMARY KEY (group_id, message_id)
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- The head of each line: the message of its key that may be handled, or the first of several.
CREATE TABLE IF NOT EXISTS queue_ordering_group (
  group_id BINARY(16) NOT NULL,
  topic VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  ordering_key VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  -- NULL: the line has no head
  message_id BIGINT NULL,
  -- nothing waits below it but what an arriving message announces; spares the walk over deleted places
  scan_from BIGINT NOT NULL DEFAULT 0,
  -- somebody may wait behind a head that is gone, or until next_at
  needs_release TINYINT NOT NULL DEFAULT 0,
  -- whether queue_ordering_running may have rows of it
  has_concurrent TINYINT NOT NULL DEFAULT 0,
  -- when the next may begin, where the topic has key_max_per_second
  next_at DATETIME(6) NOT NULL DEFAULT '1970-01-01 00:00:00.000000',
  version BIGINT NOT NULL,
  updated_at DATETIME(6) NOT NULL,
  PRIMARY KEY (group_id)
  /* [jooq ignore start] */ , INDEX queue_order_head_stalled (needs_release, next_at) /* [jooq ignore stop] */
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

-- One row a schema version: the oldest schema version that a jar must know to run on it.
CREATE TABLE IF NOT EXISTS queue_schema (
  version INT NOT NULL,
  oldest_known INT NOT NULL,
  installed_at DATETIME(6) NOT NULL /* [jooq ignore start] */ DEFAULT (UTC_TIMESTAMP(6)) /* [jooq ignore stop] */,
  -- of version 1 only: distinguishes this queue from every other, for idempotency keys
  queue_name VARCHAR(36) CHARACTER SET ascii COLLATE ascii_bin NULL,
  PRIMARY KEY (version)
) /* [jooq ignore start] */ ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin /* [jooq ignore stop] */;

/* [jooq ignore start] */
INSERT IGNORE INTO queue_schema (version, oldest_known, queue_name) VALUES (1, 1, UUID());
/* [jooq ignore stop] */
