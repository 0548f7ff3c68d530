/**
 * What was measured, on two virtual processors: docs/operate/capacity.md has the same figures, and says how to measure your own. Processor times
 * are in microseconds for each message, webhook or run, bytes on disk with their indexes.
 */
export const figures = {
  /** Twice of what is needed in the busiest hour: a peak, or the loss of half of the nodes, is borne. */
  reserve: 2,
  /** The busiest hour has a tenth of the day: seconds by which the messages of a day are divided. */
  busySeconds: 36_000,

  // `npm run bench -- inbound`: the upper end of 50 to 75 on days of different speed, of the node and of PostgreSQL.
  nodeMicros: 75,
  databaseMicros: 75,
  // `npm run bench -- deliveries` and `profile`: of the main thread, of all threads of the node, and of PostgreSQL.
  webhookMainMicros: 92,
  webhookMicros: 184,
  webhookDatabaseMicros: 18,
  // `npm run bench -- agents-load`: 3 steps and 4 calls of tools, without the model.
  runMicros: 6_500,
  // `npm run bench -- cluster-throughput`.
  natsMicros: 18,

  // Resident memory: a node without threads, an idle thread (measured with 100,000 of them), and `npm run bench -- fanout`.
  nodeBytes: 500e6,
  threadBytes: 1.8 * 1_024,
  socketBytes: 2.2 * 1_024,

  // `npm run bench -- soak`, messages of 300 characters.
  messageBytes: 0.8e3,
  wordBytes: 0.9e3,
  eventBytes: 2.0e3,
  webhookBytes: 0.8e3,
  keyBytes: 0.24e3,
  /** Of the write-ahead log: where batches are full, and with webhooks where they are not. */
  logBytes: 4e3,
  sparseLogBytes: 7.6e3,
  /** Days for which events and deliveries are kept (storage/retention). */
  keptDays: 30,

  /** Of PostgreSQL: for each node 8 for reads, 4 each for lists, searches and the ORM, and 3 lanes; and one while it migrates (storage/database). */
  nodeConnections: 23,
  migrationConnections: 1,
  /** Actors in the memory of one node (runtime/actor/node-context.ts). */
  nodeThreads: 200_000,
  /** A cluster outlives the loss of one from this number on. */
  clusterNodes: 3,
};

export type Figures = typeof figures;
