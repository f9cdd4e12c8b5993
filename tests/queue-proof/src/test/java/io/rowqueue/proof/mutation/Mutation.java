package io.rowqueue.proof.mutation;

import io.rowqueue.tests.process.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A rule of the protocol taken away: the text of it in the sources, what stands there instead. */
enum Mutation {
  NO_FENCE(
      "queue-core",
      "internal/settle/JooqSettler",
      """
              .and(QUEUE_MESSAGE.LOCK_ID.eq(lockId))
              .and(QUEUE_MESSAGE.CLAIM_NUMBER.eq(number));\
      """,
      ".and(QUEUE_MESSAGE.LOCK_ID.eq(lockId).or(QUEUE_MESSAGE.CLAIM_NUMBER.ge(-number)));",
      "ReapIT"),
  FENCE_WITHOUT_THE_CLAIM_NUMBER(
      "queue-core",
      "internal/settle/JooqSettler",
      ".and(QUEUE_MESSAGE.CLAIM_NUMBER.eq(number));",
      ".and(QUEUE_MESSAGE.CLAIM_NUMBER.ge(-number));",
      "ReapIT"),
  DELETE_OUTSIDE_THE_TRANSACTION(
      "queue-core",
      "internal/handle/AloneHandling",
      "settler.ack(tx, call.handled());",
      "settler.ackAll(java.util.List.of(call.handled()));",
      "UnansweredAckIT"),
  NO_DOOM(
      "queue-core",
      "internal/handle/HandlerTransaction",
      """
          if (fatal != null) {
            throw new RollbackRequiredException(fatal);
          }
      """,
      "",
      "HandlerTransactionIT"),
  NO_SAVEPOINT(
      "queue-core", "internal/handle/AloneHandling", "guard.verify();", "", "HandlerTransactionIT"),
  NO_SAVEPOINT_OF_A_STATEMENT(
      "queue-core",
      "internal/handle/StatementMonitor",
      "return !mark.release();",
      "return !mark.release() && unasked != null;",
      "LeavingHandlerIT"),
  WAITS_FOR_WHO_VANISHED(
      "queue-core",
      "internal/reap/JooqReaper",
      """
              .skipLocked()
              .fetchOptional()
      """,
      ".fetchOptional()\n",
      "ReapIT"),
  REFUSED_ACKS_TAKE_THEIR_GROUP_ALONG(
      "queue-worker",
      "worker/internal/dispatch/GroupedAcks",
      "isRefusal(e) ? eachAlone(group, over) : again(group, e, over)",
      "again(group, e, over)",
      "ArchiveIT"),
  OWN_REFUSALS_ARE_ATTEMPTS(
      "queue-core",
      "internal/handle/HandlerInvoker",
      "return failure instanceof DatabaseUnavailableException &&"
          + " !RollbackRequiredException.isIn(failure);",
      "return failure == null;",
      "HandlerFaultIT"),
  CURSOR_NEVER_RESET(
      "queue-core",
      "internal/claim/ClaimCursor",
      "first.forEach((priority, id) -> positions.put(priority, id - 1));",
      "if (!everReset) { first.forEach((priority, id) -> positions.put(priority, id - 1)); }",
      "ClaimContractIT"),
  GROUP_IS_NOT_ACKED_EARLY(
      "queue-core",
      "internal/handle/SharedCommit",
      "if (careful || acked == handled.size()) {",
      "if (careful || acked <= handled.size()) {",
      "SharedCommitIT"),
  OPTIMISM_WITHOUT_A_MARK(
      "queue-core",
      "internal/handle/SharedCommit",
      "if (!guard.undo()) {",
      "if (guard.undo() && careful && earlyAckFailure != null) {",
      "SharedCommitIT"),
  SHARES_AFTER_PROCEDURES(
      "queue-core",
      "internal/handle/CommitPolicy",
      "return onlyRows && succeeded",
      "return succeeded",
      "CommitPolicyTest#shares_ofAHandlerThatSentMoreThanRows_never"),
  SHARES_SLOW_HANDLERS(
      "queue-core",
      "internal/handle/CommitPolicy",
      " && (isShort() || isSlowedByCommits())",
      "",
      "CommitPolicyTest#shares_ofASlowHandler_whileItsCommitsAreSlow"),
  CLAIM_WITHOUT_LOCKS(
      "queue-core",
      "internal/claim/JooqSkipLocked",
      """
              .forUpdate()
              .skipLocked()
      """,
      "",
      "ClaimersBesideIT"),
  CLAIM_AS_IT_WAS_FOUND(
      "queue-core",
      "internal/claim/JooqTaken",
      ".and(JooqMessages.available(topic))",
      ".and(QUEUE_MESSAGE.TOPIC.eq(topic.name()))",
      "ClaimersBesideIT"),
  NO_RECONCILE(
      "queue-core",
      "internal/claim/JooqClaimStore",
      ".filter(key -> !known.contains(key) && !delayed.contains(key.id().value()))",
      ".filter(key -> false)",
      "ReapIT"),
  NO_MARK_AT_THE_START(
      "queue-core",
      "internal/claim/JooqClaimStore",
      ".set(QUEUE_MESSAGE.HANDLER_STARTED, (byte) 1)",
      ".set(QUEUE_MESSAGE.HANDLER_STARTED, (byte) 0)",
      "ReapIT"),
  REAPS_THE_LIVING(
      "queue-core",
      "internal/reap/JooqReaper",
      """
                      .and(QUEUE_WORKER.LOCK_ID.isNull())
                      .and(delayed.isEmpty()
      """,
      ".and(delayed.isEmpty()\n",
      "ReapIT"),
  LOSSES_DO_NOT_COUNT(
      "queue-core",
      "internal/reap/JooqReaper",
      "QUEUE_MESSAGE.LOST_CLAIMS.plus(1))",
      "QUEUE_MESSAGE.LOST_CLAIMS)",
      "ReapIT"),
  EVERY_LOSS_COUNTS(
      "queue-core",
      "internal/reap/JooqReaper",
      "return lost == 0 || started ? lost + 1 : lost;",
      "return lost + 1;",
      "ReapIT"),
  DECLARES_DEAD_WHO_RENEWED(
      "queue-core",
      "internal/reap/JooqReaper",
      ".and(QUEUE_WORKER.LEASE_UNTIL.eq(leaseAsRead))",
      "",
      "RacesIT"),
  RENEWS_THE_DEAD(
      "queue-core",
      "internal/reap/JooqWorkerRegistry",
      """
                          .and(QUEUE_WORKER.IS_ALIVE.eq((byte) 1))
                          .execute()
      """,
      ".execute()\n",
      "DeathRaceIT"),
  FORGETS_FAILED_ATTEMPTS(
      "queue-core",
      "internal/settle/JooqSettler",
      """
            keep(dsl, claim, error);
          }
      """,
      "}\n",
      "AttemptsIT"),
  CANCELS_WHAT_IS_IN_FLIGHT(
      "queue-core",
      "internal/cancel/WaitingMessage",
      ".and(QUEUE_MESSAGE.STATE.in(MessageState.WAITING.stream().map(DSL::inline).toList()));",
      ".and(QUEUE_MESSAGE.STATE.isNotNull());",
      "OperateIT"),
  REPEATS_A_COMMIT_OF_UNKNOWN_OUTCOME(
      "queue-core",
      "internal/database/Transition",
      "case ENQUEUE, PUBLISH, BATCH_ADD, CHAIN_BEGIN, ACK, CANCEL, REQUEST_CANCEL, SCHEDULE_RUN ->"
          + " false;",
      "case ENQUEUE, PUBLISH, BATCH_ADD, CHAIN_BEGIN, ACK, CANCEL, REQUEST_CANCEL, SCHEDULE_RUN ->"
          + " true;",
      "UnansweredEnqueueIT"),
  REPEATS_AN_INSERT_OF_UNKNOWN_OUTCOME(
      "queue-core",
      "internal/enqueue/MultiRowInsert",
      "if (TransientFailures.leavesCommitOpen(e)) {",
      "if (e instanceof RuntimeException) {",
      "UnansweredEnqueueIT"),
  MIXES_CALLERS_OF_DIFFERENT_SCHEMAS(
      "queue-core",
      "internal/enqueue/GroupCommit",
      "groups.computeIfAbsent(session,",
      "groups.computeIfAbsent(new AutoCommitSession(null, null, null),",
      "GroupCommitIT"),
  COMMITS_A_TRANSACTION_OF_SPRING(
      "queue-core",
      "internal/database/Transactions",
      "} else if (opening != null && SpringTransaction.isOf(connection)) {",
      "} else if (opening != null && connection.isClosed()) {",
      "ProducerKindsIT"),
  PUBLISHES_TO_WHAT_MAY_CHANGE_MEANWHILE(
      "queue-core",
      "internal/enqueue/Subscribed",
      "+ \" LOCK IN SHARE MODE\";",
      ";",
      "FanOutRaceIT"),
  FIRES_WHAT_ITS_POLL_FOUND_DUE(
      "queue-core",
      "internal/schedule/JooqScheduleTrigger",
      """
          .and(QUEUE_SCHEDULE.NEXT_AT.le(DatabaseClock.now()))
          .forUpdate()
      """,
      ".forUpdate()\n",
      "ScheduleRaceIT"),
  ONE_POLL_AT_A_FREE_LOCK(
      "queue-worker",
      "worker/internal/maintain/Maintenance",
      "threads.pause(SECOND_POLL);",
      "",
      "LivenessIT"),
  JUDGES_BY_LOCKS_OF_AN_EARLIER_RUN(
      "queue-core",
      "internal/reap/JooqReaper",
      ".filter(row -> started.equals(row.value3()))",
      "",
      "ReapIT"),
  HANDLES_ON_A_LEASE_IN_DOUBT(
      "queue-worker",
      "worker/internal/dispatch/HandlerThreads",
      "if (!leaseState.covers(claim.lockId())) {",
      "if (claim.lockId().value().isEmpty()) {",
      "SilentServerIT"),
  JUDGES_RIGHT_AFTER_AN_OUTAGE(
      "queue-worker",
      "worker/internal/LeaseState",
      "judgesFrom = requestedNanos + leaseNanos;",
      "judgesFrom = requestedNanos;",
      "LivenessIT"),
  COPIES_WITHOUT_A_LOCK(
      "queue-core", "internal/archive/ArchiveWriter", ".forUpdate();", ";", "ArchiveIT"),
  TAKES_SLOTS_THAT_OTHERS_HAVE(
      "queue-core",
      "internal/limit/JooqSlots",
      ".and(QUEUE_SLOT.LOCK_ID.eq(SlotTable.FREE))",
      "",
      "LimitsIT"),
  FREES_SLOTS_OF_THE_LIVING(
      "queue-core",
      "internal/limit/JooqSlots",
      ".and(QUEUE_WORKER.LOCK_ID.isNull())",
      "",
      "LimitsIT"),
  BEGINS_WITHOUT_A_SLOT(
      "queue-worker",
      "worker/internal/dispatch/ThreadLimits",
      "allowed.getOrDefault(name, Integer.MAX_VALUE)",
      "Integer.MAX_VALUE - allowed.size()",
      "LimitsIT"),
  DRAWS_MORE_THAN_THERE_IS(
      "queue-core",
      "internal/limit/JooqRateBuckets",
      "Math.min(most, bucket.tokens.intValue())",
      "most",
      "RateIT"),
  REFUSES_HANDLERS(
      "queue-core",
      "BackPressure",
      "if (!handlersToo && HandlingThread.isCurrent()) {",
      "if (handlersToo && HandlingThread.isCurrent()) {",
      "BackPressureIT"),
  BINDS_TIMES_WITHOUT_THEIR_FRACTION(
      "queue-core",
      "internal/database/UtcInstantBinding",
      "LocalDateTime.ofInstant(instant, ZoneOffset.UTC)",
      "LocalDateTime.ofInstant(instant, ZoneOffset.UTC).withNano(0)",
      "ReapIT#declareDead_whileOneOfTheirRowsIsHeld_doesNotWaitAndTakesTheOther");

  private final String module;
  private final String file;
  private final String rule;
  private final String instead;

  @SuppressWarnings("ImmutableEnumChecker") // made by List.of
  private final List<String> tests;

  Mutation(String module, String file, String rule, String instead, String... tests) {
    this.module = module;
    this.file = file;
    this.rule = rule;
    this.instead = instead;
    this.tests = List.of(tests);
  }

  /** The tests that must notice, each of them. */
  List<NamedTest> tests() throws IOException {
    List<NamedTest> found = new ArrayList<>();
    for (String test : tests) {
      found.add(NamedTest.of(test));
    }
    return found;
  }

  /** The simple name of the class that it changes. */
  String changedClass() {
    return path().getFileName().toString().replace(".java", "");
  }

  /** How often the rule stands in its file; anything but once makes the mutation meaningless. */
  long occurrences() throws IOException {
    return pattern().matcher(source()).results().count();
  }

  /** Writes the source without the rule into {@code folder}. */
  Path write(Path folder) throws IOException {
    Path mutant = folder.resolve(path().getFileName());
    String text = pattern().matcher(source()).replaceFirst(Matcher.quoteReplacement(instead));
    return Files.writeString(mutant, text);
  }

  /** However its lines are broken and indented. */
  private Pattern pattern() {
    return Pattern.compile(
        Pattern.compile("\\s+")
            .splitAsStream(rule.strip())
            .map(Pattern::quote)
            .collect(Collectors.joining("\\s+")));
  }

  private String source() throws IOException {
    return Files.readString(path());
  }

  private Path path() {
    return Checkout.home()
        .resolve(module)
        .resolve("src/main/java/io/rowqueue")
        .resolve(file + ".java");
  }
}
