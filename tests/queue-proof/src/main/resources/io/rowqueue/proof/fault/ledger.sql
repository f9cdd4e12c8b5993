-- The ledger of a fault run: what clients and handlers wrote of what they did. Each row is written in the transaction of the
-- effect that it speaks of, unless its comment says otherwise. invariants.sql judges; nothing here does.

-- A message, by its producer's transaction; ending: how its handler is to end; filler: payload bytes.
CREATE TABLE enqueued (message_id BIGINT NOT NULL PRIMARY KEY, topic VARCHAR(64) NOT NULL, ending VARCHAR(32) NOT NULL,
  ordering_key VARCHAR(64) NULL, dedup_key VARCHAR(64) NULL, filler INT NOT NULL DEFAULT 0);

-- An effect, by the transaction of its handling.
CREATE TABLE effect (seq BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, message_id BIGINT NOT NULL, claim INT NOT NULL,
  pid BIGINT NOT NULL, KEY effect_message (message_id));

-- A client means to remove it; before it does, in a transaction of its own. stays: with its batch, a refusal does not delete it.
CREATE TABLE removed (message_id BIGINT NOT NULL PRIMARY KEY, stays TINYINT NOT NULL DEFAULT 0);

-- A worker was asked to cancel it; before it is asked.
CREATE TABLE cancel_requested (message_id BIGINT NOT NULL PRIMARY KEY);

-- The client was answered that it is cancelled; afterwards.
CREATE TABLE cancelled (message_id BIGINT NOT NULL PRIMARY KEY);

-- An operator redrives it, out of its key's order; before it does. mended: a client redrives what blocks its ordering key.
CREATE TABLE redriven (message_id BIGINT NOT NULL PRIMARY KEY);
CREATE TABLE mended (message_id BIGINT NOT NULL PRIMARY KEY);

-- Deduplication keys that were offered for a day, by the producer's transaction.
CREATE TABLE offered (dedup_key VARCHAR(64) NOT NULL PRIMARY KEY);

-- An offer under a key that is held while its message lives or waits, by the producer's transaction, which holds the key until
-- its commit: so the order of the rows is that of commits. gone: the key's last message, whose effect was seen before;
-- beside: an earlier message that still holds the key; state: of the message that the offer was answered with.
CREATE TABLE keyed (seq BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, topic VARCHAR(64) NOT NULL, dedup_key VARCHAR(64) NOT NULL,
  message_id BIGINT NOT NULL, outcome VARCHAR(16) NOT NULL, content BIGINT NOT NULL, gone BIGINT NULL, beside BIGINT NULL,
  state INT NULL, fresh TINYINT NOT NULL DEFAULT 0, in_snapshot TINYINT NOT NULL DEFAULT 0,
  KEY keyed_key (dedup_key, message_id), KEY keyed_message (message_id));
CREATE TABLE keyed_effect (message_id BIGINT NOT NULL PRIMARY KEY, content BIGINT NOT NULL);

-- Runs of schedules, by their handlers; and by a trigger, how each schedule moved on, in the transaction that moved it.
-- Moments are microseconds of the server's clock.
CREATE TABLE tick (second BIGINT NOT NULL PRIMARY KEY);
CREATE TABLE scheduled_run (schedule VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, moment BIGINT NOT NULL,
  PRIMARY KEY (schedule, moment));
CREATE TABLE schedule_move (seq BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  schedule VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, due BIGINT NOT NULL, moment BIGINT NULL,
  next_moment BIGINT NOT NULL, moved_at BIGINT NOT NULL, ran TINYINT NOT NULL);
CREATE TRIGGER schedule_moves AFTER UPDATE ON queue_schedule FOR EACH ROW
  INSERT INTO schedule_move (schedule, due, moment, next_moment, moved_at, ran)
  SELECT NEW.name, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', OLD.next_at), TIMESTAMPDIFF(MICROSECOND, '1970-01-01', NEW.last_at),
    TIMESTAMPDIFF(MICROSECOND, '1970-01-01', NEW.next_at), TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)),
    NOT (NEW.last_at <=> OLD.last_at)
  FROM DUAL WHERE NEW.next_at <> OLD.next_at AND OLD.next_at > '1970-01-01' AND NEW.topic = 'fault.scheduled';

-- All of those schedules were paused from and until then; afterwards.
CREATE TABLE schedule_pause (from_at BIGINT NOT NULL, until_at BIGINT NOT NULL);

-- A limit that stood from the return of the call that set it to the beginning of the next one (System.nanoTime); afterwards.
CREATE TABLE limit_change (seq BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, topic VARCHAR(64) NOT NULL, most INT NOT NULL,
  since BIGINT NOT NULL, until BIGINT NOT NULL);

-- A publication while a topic was surely subscribed, or surely not; afterwards.
CREATE TABLE published (seq BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, subscribed TINYINT NOT NULL, copies INT NOT NULL);

-- How waiting for a result ended: ANSWERED, DEAD, GONE or TIMEOUT; afterwards.
CREATE TABLE awaited (message_id BIGINT NOT NULL PRIMARY KEY, outcome VARCHAR(16) NOT NULL, answer INT NULL,
  late_millis BIGINT NOT NULL);

-- What a handler added to the counter, and what a handler read of an old payload.
CREATE TABLE counted (message_id BIGINT NOT NULL PRIMARY KEY, amount BIGINT NOT NULL);
CREATE TABLE upcast (message_id BIGINT NOT NULL PRIMARY KEY, ending VARCHAR(32) NOT NULL, size INT NOT NULL);

-- A stream as it was sent, by its producer, and as it was read, by its handler; one whose producer rolled back, afterwards.
CREATE TABLE streamed (message_id BIGINT NOT NULL PRIMARY KEY, place VARCHAR(8) NOT NULL, length BIGINT NOT NULL,
  digest CHAR(64) NOT NULL);
CREATE TABLE streamed_effect (message_id BIGINT NOT NULL PRIMARY KEY, length BIGINT NOT NULL, digest CHAR(64) NOT NULL);
CREATE TABLE stream_rolled_back (seq BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY);

-- Batches by their producers; completions by their handlers, with the effects and added members that these found.
CREATE TABLE batched (batch_id BIGINT NOT NULL PRIMARY KEY, members INT NOT NULL);
CREATE TABLE batch_member (message_id BIGINT NOT NULL PRIMARY KEY, batch_id BIGINT NOT NULL,
  KEY batch_member_batch (batch_id));
CREATE TABLE completed (batch_id BIGINT NOT NULL PRIMARY KEY, counts VARCHAR(128) NOT NULL, effects INT NOT NULL,
  added INT NOT NULL);
CREATE TABLE part (token VARCHAR(64) NOT NULL PRIMARY KEY, batch_id BIGINT NOT NULL, nested VARCHAR(64) NULL,
  KEY part_batch (batch_id), KEY part_nested (nested));
CREATE TABLE part_done (token VARCHAR(64) NOT NULL PRIMARY KEY);
CREATE TABLE nested (token VARCHAR(64) NOT NULL PRIMARY KEY, batch_id BIGINT NOT NULL, KEY nested_batch (batch_id));
CREATE TABLE nested_done (token VARCHAR(64) NOT NULL PRIMARY KEY, counts VARCHAR(128) NOT NULL, parts INT NOT NULL);

-- Chains by their producers, steps by their handlers.
CREATE TABLE chained (chain VARCHAR(64) NOT NULL PRIMARY KEY);
CREATE TABLE step (seq BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, chain VARCHAR(64) NOT NULL, number INT NOT NULL,
  UNIQUE KEY step_once (chain, number));

-- A client means to cancel them, by its producer's transaction; what it was answered is added afterwards.
CREATE TABLE cancelled_batch (batch_id BIGINT NOT NULL PRIMARY KEY, answered INT NULL);
CREATE TABLE cancelled_chain (chain VARCHAR(64) NOT NULL PRIMARY KEY, answered TINYINT NULL, steps INT NULL);

-- Where each message is: a message must be in exactly one place.
CREATE VIEW place AS
  SELECT message_id AS id, 'handled' AS place FROM effect
  UNION ALL SELECT id, 'dead letter' FROM queue_dead_letter
  UNION ALL SELECT id, ELT(state + 1, 'available', 'in flight', 'scheduled', 'blocked', 'blocked') FROM queue_message
  UNION ALL SELECT e.message_id, 'handled outside' FROM enqueued e WHERE e.topic = 'fault.outside'
    AND NOT EXISTS (SELECT 1 FROM queue_message m WHERE m.id = e.message_id)
    AND NOT EXISTS (SELECT 1 FROM queue_dead_letter d WHERE d.id = e.message_id)
  UNION ALL SELECT r.message_id, 'removed' FROM removed r WHERE
    NOT EXISTS (SELECT 1 FROM queue_message m WHERE m.id = r.message_id)
    AND NOT EXISTS (SELECT 1 FROM queue_dead_letter d WHERE d.id = r.message_id)
    AND NOT EXISTS (SELECT 1 FROM effect f WHERE f.message_id = r.message_id);

-- What each completion counted, and the members that there are: of its producer, and of committed handlers (nested batches are
-- one each), of which so many have ended.
CREATE VIEW batch_count AS
  SELECT b.batch_id, b.members, c.counts, c.effects, c.added AS added_seen,
    CAST(SUBSTRING_INDEX(SUBSTRING_INDEX(c.counts, 'total=', -1), ' ', 1) AS SIGNED) AS total,
    CAST(SUBSTRING_INDEX(SUBSTRING_INDEX(c.counts, 'done=', -1), ' ', 1) AS SIGNED) AS done,
    CAST(SUBSTRING_INDEX(SUBSTRING_INDEX(c.counts, 'failed=', -1), ' ', 1) AS SIGNED) AS failed,
    CAST(SUBSTRING_INDEX(SUBSTRING_INDEX(c.counts, 'cancelled=', -1), ' ', 1) AS SIGNED) AS cancelled,
    (SELECT COUNT(*) FROM part p WHERE p.batch_id = b.batch_id AND p.nested IS NULL)
      + (SELECT COUNT(*) FROM nested n WHERE n.batch_id = b.batch_id) AS added,
    (SELECT COUNT(*) FROM part p JOIN part_done d ON d.token = p.token WHERE p.batch_id = b.batch_id AND p.nested IS NULL)
      + (SELECT COUNT(*) FROM nested n JOIN nested_done d ON d.token = n.token WHERE n.batch_id = b.batch_id) AS added_ended
  FROM batched b JOIN completed c ON c.batch_id = b.batch_id;
