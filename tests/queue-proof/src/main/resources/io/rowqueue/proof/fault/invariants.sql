-- What must hold when a run is over, once the queue is empty and the workers are stopped. Two kinds:
--   BROKEN name:        each row of the query is a finding
--   NOT_EXERCISED name: the query counts what happened; 0 is a finding, since the run shows nothing of it
-- The tables are those of ledger.sql and the queue's own.

-- BROKEN lost: a committed message is in some place
SELECT CONCAT('message ', e.message_id, ' of ', e.topic, ' (', e.ending, ') is nowhere')
FROM enqueued e LEFT JOIN place p ON p.id = e.message_id WHERE p.id IS NULL;

-- BROKEN doubled: in one place only; an effect happens once, and with its message's deletion
SELECT CONCAT('message ', p.id, ' is ', GROUP_CONCAT(p.place ORDER BY p.place)) FROM place p GROUP BY p.id HAVING COUNT(*) > 1;

-- BROKEN uncommitted: what was rolled back or never enqueued is nowhere
SELECT CONCAT('message ', p.id, ', which was never committed, is ', p.place)
FROM place p WHERE NOT EXISTS (SELECT 1 FROM enqueued e WHERE e.message_id = p.id);

-- BROKEN stray-attempt: failed attempts go with their messages
SELECT CONCAT('message ', a.message_id, ' is gone and its failed attempts are not') FROM queue_attempt a
WHERE NOT EXISTS (SELECT 1 FROM queue_message m WHERE m.id = a.message_id)
  AND NOT EXISTS (SELECT 1 FROM queue_dead_letter d WHERE d.id = a.message_id);

-- BROKEN unknown-topic: a message without a handler is left alone
SELECT CONCAT('message ', e.message_id, ', which no worker knows, was not left alone: ',
  COALESCE(CONCAT('state ', m.state, ', claimed ', m.claim_number, ' times'), 'it is gone'))
FROM enqueued e LEFT JOIN queue_message m ON m.id = e.message_id
WHERE e.topic = 'fault.unknown' AND (m.id IS NULL OR m.state <> 0 OR m.claim_number <> 0);

-- BROKEN offered-key: a key that was offered for a day is that of one message, and of one only
SELECT CONCAT('key ', o.dedup_key, ' was enqueued under ', COUNT(e.message_id), ' times')
FROM offered o LEFT JOIN enqueued e ON e.dedup_key = o.dedup_key GROUP BY o.dedup_key HAVING COUNT(e.message_id) <> 1;

-- BROKEN result: a result is there exactly where its handler's effect is, and is of the same claim
SELECT CONCAT('message ', f.message_id, ' took effect without its result') FROM effect f
JOIN enqueued e ON e.message_id = f.message_id
LEFT JOIN queue_result r ON r.message_id = f.message_id AND r.content = CAST(f.claim AS CHAR)
WHERE e.topic = 'fault.result' AND r.message_id IS NULL
UNION ALL SELECT CONCAT('message ', r.message_id, ' has a result without effect')
FROM queue_result r LEFT JOIN effect f ON f.message_id = r.message_id
WHERE r.topic = 'fault.result' AND f.message_id IS NULL;

-- BROKEN tick: every second from the first to the last; the primary key sees to it that none comes twice
SELECT CONCAT(MAX(second) - MIN(second) + 1 - COUNT(*), ' runs are missing of ', MAX(second) - MIN(second) + 1)
FROM tick HAVING MAX(second) - MIN(second) + 1 <> COUNT(*);

-- BROKEN body: a dead letter may come back, and has its payload, or the reference to it
SELECT CONCAT('dead letter ', d.id, ' has lost its payload') FROM queue_dead_letter d
JOIN enqueued e ON e.message_id = d.id AND e.filler >= 40000
LEFT JOIN queue_payload_chunk b ON b.message_id = d.id AND b.is_last = 1
LEFT JOIN queue_payload_ref s ON s.message_id = d.id WHERE b.message_id IS NULL AND s.message_id IS NULL
UNION ALL SELECT CONCAT('dead letter ', id, ' is said to have no payload') FROM queue_dead_letter
WHERE reason = 'body-missing';

-- BROKEN encrypted: every worker has the key, and every producer encrypts
SELECT CONCAT('dead letter ', id, ' was encrypted, and is said to be ', reason) FROM queue_dead_letter
WHERE topic = 'fault.encrypted' AND reason IN ('undecodable', 'not-wrapped', 'unreadable');

-- BROKEN key-order: messages of an ordering key take effect in the order of their commits, which is that of ids, since one
-- producer commits one transaction after another. A redriven dead letter is out of order where it does not block its key.
SELECT CONCAT('message ', id, ' of ', ordering_key, ' was handled behind ', earlier) FROM
  (SELECT e.message_id AS id, e.ordering_key, LAG(e.message_id) OVER (PARTITION BY e.topic, e.ordering_key ORDER BY f.seq)
    AS earlier FROM enqueued e JOIN effect f ON f.message_id = e.message_id
  WHERE e.ordering_key IS NOT NULL AND (e.topic = 'fault.held' OR (e.topic IN ('fault.ordered', 'fault.former')
    AND e.message_id NOT IN (SELECT message_id FROM redriven)))) in_order
WHERE earlier > id;

-- BROKEN key-left: what is gone does not block its ordering key
SELECT CONCAT('message ', o.message_id, ' is gone and blocks its ordering key') FROM queue_ordering_member o
LEFT JOIN queue_message m ON m.id = o.message_id WHERE m.id IS NULL AND o.running = 0;

-- BROKEN key-blocked: each dead letter that blocked its key was redriven
SELECT CONCAT('dead letter ', id, ' still blocks its ordering key') FROM queue_dead_letter WHERE topic = 'fault.held';

-- BROKEN cancelled: what was answered to be cancelled is in no place and has no effect
SELECT CONCAT('message ', c.message_id, ' was cancelled, and is ', p.place) FROM cancelled c
JOIN place p ON p.id = c.message_id WHERE p.place NOT IN ('removed', 'handled outside');

-- BROKEN counter-sum: the counter holds the sum of what handlers wrote, each in its own transaction
SELECT CONCAT('the counter holds ', held, ', and by the ledger ', summed) FROM
  (SELECT (SELECT COALESCE(SUM(amount), 0) FROM queue_counter WHERE name = 'fault.counted') AS held,
    (SELECT COALESCE(SUM(amount), 0) FROM counted) AS summed) sums WHERE held <> summed;

-- BROKEN counter-below-zero: taking more than there can be is refused. (The order of commits is not that of effects, which are
-- written before they wait for a slot; so smaller takes cannot be judged one by one.)
SELECT CONCAT('message ', message_id, ' took ', -amount, ', which was never there') FROM counted WHERE amount <= -1000000000
UNION ALL SELECT CONCAT('slot ', slot, ' of the counter holds ', amount) FROM queue_counter WHERE amount < 0;

-- BROKEN counter-apart: a handler counts exactly where it takes effect
SELECT CONCAT('message ', f.message_id, ' took effect and has not counted') FROM effect f
JOIN enqueued e ON e.message_id = f.message_id AND e.topic = 'fault.counted'
LEFT JOIN counted c ON c.message_id = f.message_id WHERE c.message_id IS NULL
UNION ALL SELECT CONCAT('message ', c.message_id, ' counted without effect') FROM counted c
LEFT JOIN effect f ON f.message_id = c.message_id WHERE f.message_id IS NULL;

-- BROKEN upcast: an old payload is read as its upcaster leaves it
SELECT CONCAT('message ', e.message_id, ' was enqueued as ', e.ending, ' of ', e.filler, ', and read as ',
  COALESCE(CONCAT(u.ending, ' of ', u.size), 'nothing'))
FROM enqueued e JOIN effect f ON f.message_id = e.message_id LEFT JOIN upcast u ON u.message_id = e.message_id
WHERE e.topic IN ('fault.upcast', 'fault.former') AND NOT (u.ending <=> e.ending AND u.size <=> e.filler);

-- BROKEN upcast-unreadable: no old payload is dead-lettered as unreadable
SELECT CONCAT('dead letter ', id, ' of ', topic, ' is said to be ', reason) FROM queue_dead_letter
WHERE topic IN ('fault.upcast', 'fault.former') AND reason IN ('undecodable', 'unreadable', 'not-wrapped');

-- BROKEN subscription: a publication has its copy exactly while a topic is subscribed
SELECT CONCAT('publication ', seq, ' has ', copies, ' copies, and ', IF(subscribed, 'one topic was', 'none was'), ' subscribed')
FROM published WHERE copies <> subscribed;

-- BROKEN answer: an awaited result is the stored one, and of the claim that took effect
SELECT CONCAT('message ', a.message_id, ' was answered with ', COALESCE(a.answer, 'none'), ', its result is ',
  COALESCE(CONVERT(r.content USING utf8mb4), 'none'), ' and its effect of claim ', COALESCE(f.claim, 'none'))
FROM awaited a LEFT JOIN effect f ON f.message_id = a.message_id LEFT JOIN queue_result r ON r.message_id = a.message_id
WHERE a.outcome = 'ANSWERED' AND NOT (a.answer <=> f.claim AND r.content <=> CAST(f.claim AS CHAR));

-- BROKEN answer-dead-or-gone: a dead letter takes effect only if it was redriven; only a removed message is gone
SELECT CONCAT('message ', a.message_id, ' was said to be a dead letter, and took effect') FROM awaited a
JOIN effect f ON f.message_id = a.message_id
WHERE a.outcome = 'DEAD' AND a.message_id NOT IN (SELECT message_id FROM redriven)
UNION ALL SELECT CONCAT('message ', a.message_id, ' was said to be gone, and no client removed it') FROM awaited a
WHERE a.outcome = 'GONE' AND a.message_id NOT IN (SELECT message_id FROM removed);

-- BROKEN answer-late: waiting ends in time; generously, since scheduling threads is the machine's business
SELECT CONCAT('message ', message_id, ' was awaited for ', late_millis, ' ms longer than said') FROM awaited
WHERE late_millis > 10000;

-- BROKEN schedule-twice: a schedule runs once for each moment; the primary key sees to it that none is handled twice
SELECT CONCAT(schedule, ' ran ', COUNT(*), ' times for ', moment) FROM schedule_move WHERE ran = 1
GROUP BY schedule, moment HAVING COUNT(*) > 1;

-- BROKEN schedule-apart: the message and the move of its schedule are of one transaction
SELECT CONCAT(a.schedule, ' moved on from ', a.moment, ', and nothing came of it') FROM
  (SELECT DISTINCT schedule, moment FROM schedule_move WHERE ran = 1) a
LEFT JOIN scheduled_run f ON f.schedule = a.schedule AND f.moment = a.moment WHERE f.moment IS NULL
UNION ALL SELECT CONCAT(f.schedule, ' ran for ', f.moment, ', and did not move on') FROM scheduled_run f
LEFT JOIN schedule_move a ON a.schedule = f.schedule AND a.moment = f.moment AND a.ran = 1 WHERE a.moment IS NULL;

-- BROKEN schedule-next: it moves on by its period, and only those that skip missed runs move without one
SELECT CONCAT(schedule, ' ran for ', moment, ', and is to run again at ', next_moment) FROM schedule_move
WHERE ran = 1 AND next_moment - moment <> IF(schedule = 'fault.second.once', 1000000, 60000000)
UNION ALL SELECT CONCAT(schedule, ' was due at ', due, ' and skipped it') FROM schedule_move
WHERE ran = 0 AND NOT schedule LIKE 'fault.cron.skip.%';

-- BROKEN schedule-late: what was missed in a pause, by more than the grace of a second, is skipped
SELECT CONCAT(a.schedule, ' was to skip ', a.moment, ', and ran for it at ', a.moved_at) FROM schedule_move a
WHERE a.ran = 1 AND a.schedule LIKE 'fault.cron.skip.%' AND EXISTS (SELECT 1 FROM schedule_pause p
  WHERE a.moved_at > p.until_at AND a.moment < p.until_at - 1000000);

-- BROKEN schedule-paused: nothing moves while it is paused; a pause waits for a run that is under way
SELECT CONCAT(a.schedule, ' was paused, and moved on at ', a.moved_at) FROM schedule_move a
JOIN schedule_pause p ON a.moved_at > p.from_at AND a.moved_at < p.until_at;

-- BROKEN stream: a stream is read as it was sent
SELECT CONCAT('message ', s.message_id, ' was sent as ', s.length, ' bytes of ', LEFT(s.digest, 8), ', and read as ',
  COALESCE(CONCAT(e.length, ' of ', LEFT(e.digest, 8)), 'nothing'))
FROM streamed s JOIN effect f ON f.message_id = s.message_id LEFT JOIN streamed_effect e ON e.message_id = s.message_id
WHERE NOT (e.length <=> s.length AND e.digest <=> s.digest);

-- BROKEN stream-uncommitted: a stream that was rolled back is nowhere
SELECT CONCAT('stream ', id, ' was never committed, and is ', place) FROM
  (SELECT message_id AS id, 'read' AS place FROM streamed_effect
  UNION ALL SELECT id, 'in the queue' FROM queue_message WHERE topic = 'fault.streamed'
  UNION ALL SELECT id, 'a dead letter' FROM queue_dead_letter WHERE topic = 'fault.streamed') places
WHERE id NOT IN (SELECT message_id FROM streamed);

-- BROKEN stream-cut: a dead letter may come back, and has all of its stream, or the reference to it
SELECT CONCAT('dead letter ', id, ' has ', has, ' bytes of its stream of ', length) FROM
  (SELECT d.id, s.length, COALESCE((SELECT SUM(LENGTH(b.bytes)) FROM queue_payload_chunk b WHERE b.message_id = d.id),
    (SELECT o.bytes FROM queue_payload_ref o WHERE o.message_id = d.id), 0) AS has
  FROM queue_dead_letter d JOIN streamed s ON s.message_id = d.id) dead WHERE has <> length;

-- BROKEN body-left: once swept, no payload is left without its message
SELECT CONCAT('message ', message_id, ' is gone, and its payload is left') FROM
  (SELECT message_id FROM queue_payload_chunk UNION SELECT message_id FROM queue_payload_ref) body
WHERE message_id NOT IN (SELECT id FROM queue_message UNION ALL SELECT id FROM queue_dead_letter);

-- BROKEN batch-once: each batch completes; the primary key sees to it that none does twice
SELECT CONCAT('batch ', b.batch_id, ' of ', b.members, ' never completed') FROM batched b
LEFT JOIN completed c ON c.batch_id = b.batch_id WHERE c.batch_id IS NULL
UNION ALL SELECT CONCAT('batch ', c.batch_id, ' was never committed, and completed') FROM completed c
LEFT JOIN batched b ON b.batch_id = c.batch_id WHERE b.batch_id IS NULL;

-- BROKEN batch-counts: each member counts once, as done, failed or cancelled; those that handlers added, too
SELECT CONCAT('batch ', batch_id, ' of ', members + added, ' completed with ', counts) FROM batch_count
WHERE total <> members + added OR done + failed + cancelled <> members + added;

-- BROKEN batch-added: a batch completes behind all that handlers have added, none of which fails
SELECT CONCAT('batch ', batch_id, ' completed behind ', added_seen, ' of ', added, ' that were added') FROM batch_count
WHERE batch_id NOT IN (SELECT batch_id FROM cancelled_batch) AND added_seen <> added;

-- BROKEN batch-cancelled: what counts as cancelled has no effect and is in no place
SELECT CONCAT('batch ', batch_id, ' of ', members + added, ' completed with ', counts, ', and ', found,
  ' of its members are somewhere') FROM
  (SELECT b.*, added_ended + (SELECT COUNT(*) FROM batch_member m WHERE m.batch_id = b.batch_id
    AND (EXISTS (SELECT 1 FROM effect f WHERE f.message_id = m.message_id)
      OR EXISTS (SELECT 1 FROM queue_dead_letter d WHERE d.id = m.message_id)
      OR EXISTS (SELECT 1 FROM queue_message q WHERE q.id = m.message_id))) AS found FROM batch_count b) counted
WHERE found + cancelled > members + added;

-- BROKEN batch-early: what is done has taken effect before the completion, in the database or outside, or was added. A redriven
-- dead letter takes effect later, and counted as failed.
SELECT CONCAT('batch ', c.batch_id, ' completed with ', c.counts, ' and ', c.effects, ' effects, ', o.outside,
  ' of its members being outside') FROM batch_count c
JOIN (SELECT b.batch_id, SUM(e.topic = 'fault.outside') AS outside, COUNT(r.message_id) AS redriven FROM batch_member b
  JOIN enqueued e ON e.message_id = b.message_id LEFT JOIN redriven r ON r.message_id = b.message_id GROUP BY b.batch_id) o
ON o.batch_id = c.batch_id
WHERE o.redriven = 0 AND c.done - c.added_seen NOT BETWEEN c.effects AND c.effects + o.outside;

-- BROKEN batch-answer: no fewer members were cancelled than the client was told. Parts of a nested batch count in that one.
SELECT CONCAT('batch ', b.batch_id, ' was said to lose ', b.answered, ' messages, and completed with ', c.counts)
FROM cancelled_batch b JOIN batch_count c ON c.batch_id = b.batch_id
WHERE b.answered > c.cancelled + (SELECT COUNT(*) FROM part p LEFT JOIN part_done d ON d.token = p.token
  WHERE p.batch_id = b.batch_id AND p.nested IS NOT NULL AND d.token IS NULL);

-- BROKEN part: what a committed handling added is handled, and nothing else; the primary key sees to it that none is twice.
-- What was added to a batch that a client meant to cancel may have gone with it.
SELECT CONCAT('part ', a.token, ' was never handled') FROM part a LEFT JOIN part_done d ON d.token = a.token
WHERE d.token IS NULL AND a.batch_id NOT IN (SELECT batch_id FROM cancelled_batch)
UNION ALL SELECT CONCAT('part ', d.token, ' was rolled back, and was handled') FROM part_done d
LEFT JOIN part a ON a.token = d.token WHERE a.token IS NULL;

-- BROKEN nested: the same of nested batches
SELECT CONCAT('nested batch ', a.token, ' never completed') FROM nested a LEFT JOIN nested_done d ON d.token = a.token
WHERE d.token IS NULL AND a.batch_id NOT IN (SELECT batch_id FROM cancelled_batch)
UNION ALL SELECT CONCAT('nested batch ', d.token, ' was rolled back, and completed') FROM nested_done d
LEFT JOIN nested a ON a.token = d.token WHERE a.token IS NULL;

-- BROKEN nested-counts: a nested batch completes behind each of its two parts, but for those that went with it
SELECT CONCAT('nested batch ', token, ' completed with ', counts, ' behind ', parts, ' parts') FROM nested_done
WHERE counts <> CONCAT('total=2 done=', parts, ' failed=0 cancelled=', 2 - parts) OR (parts <> 2 AND token NOT IN
  (SELECT n.token FROM nested n JOIN cancelled_batch c ON c.batch_id = n.batch_id));

-- BROKEN chain: each chain takes its three steps, but for those that a client meant to cancel
SELECT CONCAT('chain ', h.chain, ' took ', COUNT(s.seq), ' steps') FROM chained h LEFT JOIN step s ON s.chain = h.chain
WHERE h.chain NOT IN (SELECT chain FROM cancelled_chain) GROUP BY h.chain HAVING COUNT(s.seq) <> 3
UNION ALL SELECT CONCAT('chain ', s.chain, ' was never committed, and took step ', s.number) FROM step s
LEFT JOIN chained h ON h.chain = s.chain WHERE h.chain IS NULL;

-- BROKEN chain-order: one step behind the other
SELECT CONCAT('step ', a.number, ' of chain ', a.chain, ' was taken behind step ', b.number) FROM step a
JOIN step b ON b.chain = a.chain WHERE a.number < b.number AND a.seq > b.seq;

-- BROKEN chain-cancelled: no step behind the one that the chain had come to, whose message was removed or was the last one
SELECT CONCAT('chain ', chain, ' was cancelled', IF(answered, ' with its message', ''), ' behind ', steps, ' steps, and took ',
  taken) FROM (SELECT c.*, (SELECT COUNT(*) FROM step s WHERE s.chain = c.chain) AS taken FROM cancelled_chain c) counted
WHERE taken > steps + IF(answered, 0, 1);

-- BROKEN chain-skipped: a cancelled chain has left out no step between
SELECT CONCAT('chain ', c.chain, ' took step ', MAX(s.number), ' behind ', COUNT(*) - 1, ' others') FROM cancelled_chain c
JOIN step s ON s.chain = c.chain GROUP BY c.chain HAVING MAX(s.number) <> COUNT(*);

-- BROKEN keyed-other: a producer that is told of a message may rely on it: it is of that key, and was committed
SELECT CONCAT('offer ', k.seq, ' was answered with message ', k.message_id, ', which is none of ', k.dedup_key) FROM keyed k
LEFT JOIN enqueued e ON e.message_id = k.message_id AND e.dedup_key = k.dedup_key WHERE e.message_id IS NULL;

-- BROKEN keyed-gone: what is over holds no key; an offer that is left out for it would be lost
SELECT CONCAT('offer ', seq, ' of ', dedup_key, ' was answered with message ', message_id, ', and ', gone, ' was gone')
FROM keyed WHERE outcome <> 'INSERTED' AND message_id <= gone;

-- BROKEN keyed-claimed: until the commit nobody claims it: its handler sees all that was written with the offer
SELECT CONCAT('offer ', seq, ' of ', dedup_key, ' was answered with message ', message_id, ', which does not wait but is in state ',
  COALESCE(state, 'gone')) FROM keyed
WHERE outcome <> 'INSERTED' AND topic NOT IN ('fault.keyed.alive', 'fault.keyed.refused')
  AND NOT COALESCE(state IN (0, 2, 3, 4), FALSE);

-- BROKEN keyed-beside: no new message while another holds the key; redriven dead letters hold none
SELECT CONCAT('message ', message_id, ' of ', dedup_key, ' came while ', beside, ' held the key') FROM keyed
WHERE beside IS NOT NULL AND beside NOT IN (SELECT message_id FROM redriven);

-- BROKEN keyed-content: the last content that was committed takes effect: what was replaced waited, and was claimed later
SELECT CONCAT('message ', f.message_id, ' took effect with content ', COALESCE(t.content, 'none'),
  ', and the last one committed was ', l.content) FROM effect f
JOIN (SELECT message_id, content, ROW_NUMBER() OVER (PARTITION BY message_id ORDER BY seq DESC) AS place FROM keyed
  WHERE outcome IN ('INSERTED', 'REPLACED')) l ON l.message_id = f.message_id AND l.place = 1
LEFT JOIN keyed_effect t ON t.message_id = f.message_id WHERE NOT t.content <=> l.content;

-- BROKEN keyed-lives: messages of a key live one behind the other; effects are numbered as they begin
SELECT CONCAT('message ', id, ' of ', dedup_key, ' took effect behind ', later) FROM
  (SELECT k.dedup_key, k.message_id AS id, f.seq, LEAD(f.seq) OVER in_key AS next, LEAD(k.message_id) OVER in_key AS later
  FROM keyed k JOIN effect f ON f.message_id = k.message_id
  WHERE k.topic IN ('fault.keyed.alive', 'fault.keyed.refused') AND k.outcome = 'INSERTED'
    AND k.message_id NOT IN (SELECT message_id FROM redriven)
  WINDOW in_key AS (PARTITION BY k.dedup_key ORDER BY k.message_id)) lives
WHERE next < seq;

-- NOT_EXERCISED runs of the schedule that makes up for all
SELECT COUNT(*) FROM tick;
-- NOT_EXERCISED paused schedules
SELECT COUNT(*) FROM schedule_pause;
-- NOT_EXERCISED results
SELECT COUNT(*) FROM queue_result;
-- NOT_EXERCISED copies
SELECT COUNT(*) FROM enqueued WHERE topic LIKE 'fault.copy%';
-- NOT_EXERCISED keys for a day
SELECT COUNT(*) FROM offered;
-- NOT_EXERCISED encrypted payloads
SELECT COUNT(*) FROM enqueued WHERE topic = 'fault.encrypted';
-- NOT_EXERCISED extended timeouts
SELECT COUNT(*) FROM enqueued WHERE topic = 'fault.long';
-- NOT_EXERCISED payloads beside their rows
SELECT COUNT(*) FROM enqueued WHERE filler >= 40000 AND filler < 60000;
-- NOT_EXERCISED payloads outside the database
SELECT COUNT(*) FROM enqueued WHERE filler >= 60000;
-- NOT_EXERCISED ordering keys
SELECT COUNT(*) FROM enqueued WHERE topic = 'fault.ordered';
-- NOT_EXERCISED ordering keys under a former name
SELECT COUNT(*) FROM enqueued WHERE topic = 'fault.former' AND ordering_key IS NOT NULL;
-- NOT_EXERCISED dead letters that block their ordering keys
SELECT COUNT(*) FROM mended;
-- NOT_EXERCISED former names
SELECT COUNT(*) FROM enqueued WHERE topic = 'fault.former';
-- NOT_EXERCISED old payloads
SELECT COUNT(*) FROM upcast;
-- NOT_EXERCISED limits
SELECT COUNT(*) FROM enqueued WHERE topic = 'fault.limited';
-- NOT_EXERCISED limits by key
SELECT COUNT(*) FROM enqueued WHERE topic = 'fault.limited.key';
-- NOT_EXERCISED rates
SELECT COUNT(*) FROM enqueued WHERE topic = 'fault.rated';
-- NOT_EXERCISED rates by key
SELECT COUNT(*) FROM enqueued WHERE topic = 'fault.rated.key';
-- NOT_EXERCISED limits that changed
SELECT COUNT(*) FROM limit_change WHERE topic = 'fault.limited' AND until - since < 2000000000;
-- NOT_EXERCISED limits by key that changed
SELECT COUNT(*) FROM limit_change WHERE topic = 'fault.limited.key' AND until - since < 2000000000;
-- NOT_EXERCISED lowered limits that stayed
SELECT COUNT(*) FROM limit_change WHERE topic = 'fault.limited' AND most = 1 AND until - since > 2000000000;
-- NOT_EXERCISED lowered limits by key that stayed
SELECT COUNT(*) FROM limit_change WHERE topic = 'fault.limited.key' AND most = 2 AND until - since > 2000000000;
-- NOT_EXERCISED requested cancellations
SELECT COUNT(*) FROM cancel_requested;
-- NOT_EXERCISED publications within a subscription
SELECT COUNT(*) FROM published WHERE subscribed = 1;
-- NOT_EXERCISED publications outside of a subscription
SELECT COUNT(*) FROM published WHERE subscribed = 0;
-- NOT_EXERCISED additions to a counter
SELECT COUNT(*) FROM counted WHERE amount > 0;
-- NOT_EXERCISED refused takes of a counter
SELECT COUNT(*) FROM counted WHERE amount = 0;
-- NOT_EXERCISED streams beside their rows
SELECT COUNT(*) FROM streamed s JOIN streamed_effect e ON e.message_id = s.message_id WHERE s.place = 'ROWS';
-- NOT_EXERCISED streams outside the database
SELECT COUNT(*) FROM streamed s JOIN streamed_effect e ON e.message_id = s.message_id WHERE s.place = 'FILES';
-- NOT_EXERCISED streams that were rolled back
SELECT COUNT(*) FROM stream_rolled_back;
-- NOT_EXERCISED batches
SELECT COUNT(*) FROM completed;
-- NOT_EXERCISED added members
SELECT COUNT(*) FROM part WHERE nested IS NULL;
-- NOT_EXERCISED nested batches
SELECT COUNT(*) FROM nested;
-- NOT_EXERCISED cancelled batches
SELECT COUNT(*) FROM cancelled_batch WHERE answered > 0;
-- NOT_EXERCISED chains
SELECT COUNT(*) FROM step;
-- NOT_EXERCISED cancelled chains
SELECT COUNT(*) FROM cancelled_chain WHERE answered = 1;
-- NOT_EXERCISED held keys of fault.keyed.alive
SELECT COUNT(*) FROM keyed WHERE topic = 'fault.keyed.alive' AND outcome <> 'INSERTED';
-- NOT_EXERCISED held keys of fault.keyed.refused
SELECT COUNT(*) FROM keyed WHERE topic = 'fault.keyed.refused' AND outcome <> 'INSERTED';
-- NOT_EXERCISED held keys of fault.keyed.waiting
SELECT COUNT(*) FROM keyed WHERE topic = 'fault.keyed.waiting' AND outcome <> 'INSERTED';
-- NOT_EXERCISED held keys of fault.keyed.replaced
SELECT COUNT(*) FROM keyed WHERE topic = 'fault.keyed.replaced' AND outcome <> 'INSERTED';
-- NOT_EXERCISED free keys of fault.keyed.alive
SELECT COUNT(*) - COUNT(DISTINCT dedup_key) FROM keyed WHERE topic = 'fault.keyed.alive' AND outcome = 'INSERTED';
-- NOT_EXERCISED free keys of fault.keyed.refused
SELECT COUNT(*) - COUNT(DISTINCT dedup_key) FROM keyed WHERE topic = 'fault.keyed.refused' AND outcome = 'INSERTED';
-- NOT_EXERCISED free keys of fault.keyed.waiting
SELECT COUNT(*) - COUNT(DISTINCT dedup_key) FROM keyed WHERE topic = 'fault.keyed.waiting' AND outcome = 'INSERTED';
-- NOT_EXERCISED free keys of fault.keyed.replaced
SELECT COUNT(*) - COUNT(DISTINCT dedup_key) FROM keyed WHERE topic = 'fault.keyed.replaced' AND outcome = 'INSERTED';
-- NOT_EXERCISED held keys of living messages in REPEATABLE READ
SELECT COUNT(*) FROM keyed WHERE in_snapshot AND outcome <> 'INSERTED' AND topic IN ('fault.keyed.alive', 'fault.keyed.refused');
-- NOT_EXERCISED held keys of waiting messages in REPEATABLE READ
SELECT COUNT(*) FROM keyed WHERE in_snapshot AND outcome <> 'INSERTED' AND topic IN ('fault.keyed.waiting', 'fault.keyed.replaced');
-- NOT_EXERCISED new keys that two producers offered at one time
SELECT COUNT(*) FROM keyed WHERE fresh AND outcome <> 'INSERTED' AND dedup_key LIKE '%-new-%';
