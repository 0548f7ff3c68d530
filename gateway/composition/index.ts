/** Puts a node together: storage, cluster, actors, and the servers, in this order. */
export { type Skein, StartAborted, StartRefused, startSkein } from './start.ts';
