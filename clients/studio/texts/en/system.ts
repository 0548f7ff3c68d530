/** How the service does. They come with the page itself: few ever see it. */
export const system = {
  title: 'System',
  about: 'All nodes of this service, for those who operate it. The figures are those of /metrics.',
  asOf: (time: string) => `As of ${time}`,
  stale: 'This page cannot be refreshed at the moment. It shows the state at the time above.',
  verdict: {
    title: 'Health',
    well: 'No problems',
    wellDetail: (nodes: string, shards: string) => `${nodes}, ${shards}. No alert condition is met.`,
    sick: (faults: number) => (faults === 1 ? '1 problem' : `${faults} problems`),
    nodes: (nodes: number) => (nodes === 1 ? 'One node' : `${nodes} nodes`),
    shards: (shards: string) => `${shards} shards`,
    page: 'Act now',
    ticket: 'Can wait for the morning',
    whole: 'The whole service',
    onNodes: (nodes: string) => `On ${nodes}`,
    runbook: 'Runbook',
    runbookOf: (name: string) => `Runbook: ${name}`,
  },
  /** What is wrong, its figure, and what to do first. */
  faults: {
    SkeinDown: {
      title: 'A node does not answer',
      figure: () =>
        'It did not report within a second, or left the cluster unannounced in the last half hour and has not come back.',
      todo: 'Is its process there? Its log says why it ended. If it hangs, kill and start it: nothing that was acknowledged is lost.',
    },
    SkeinNotReady: {
      title: 'A node serves nothing',
      figure: () => 'It does not reach the database, or NATS. Its /readyz says which.',
      todo: 'Mend the database or NATS: the nodes go on by themselves when it is back. Is it one node alone? Then look at its network.',
    },
    SkeinErrors: {
      title: 'Clients get errors',
      figure: (value: string | undefined) =>
        `${value} of the answers of the last five minutes are errors of the server.`,
      todo: 'See /readyz: it names the database or NATS. For errors of single operations look for “error” in the log.',
    },
    SkeinCommitsSlow: {
      title: 'The database is slow to commit',
      figure: (value: string | undefined) =>
        `One commit in a hundred takes ${value} or more. Every write waits for it.`,
      todo: 'Look at the disk and the load of PostgreSQL, and for locks below. End what competes for the disk.',
    },
    SkeinCommitsRefused: {
      title: 'Commits are refused',
      figure: (value: string | undefined) => `${value} within five minutes.`,
      todo: 'Free disk space of the database first. The log says “refused:” with the actor and the reason.',
    },
    SkeinStorageFull: {
      title: 'The database has no room left',
      figure: (value: string | undefined) =>
        `${value} requests were refused within five minutes. Reads and deletions work.`,
      todo: 'Free disk space of the database, or enlarge its disk. For a database of your own, raise databaseBytes in LIMITS.',
    },
    SkeinNodeBusy: {
      title: 'A node is too busy',
      figure: (value: string | undefined) => `Its event loop stalls for ${value} at times.`,
      todo: 'At 100 % of a core it has too much load: start another node. At much less, look for swap and busy neighbours.',
    },
    SkeinOverloaded: {
      title: 'Requests are refused, because a limit was reached',
      figure: (value: string | undefined) => `${value} commands within five minutes, answered 503.`,
      todo: 'Is one mailbox full (see below)? Slow its client down. Are all? Start another node, or look at the database.',
    },
    SkeinDeadLetters: {
      title: 'Work was given up for good',
      figure: (value: string | undefined) => `${value} dead letters wait for you.`,
      todo: 'They are listed below. Fix the cause of the error, then run them again, or delete them.',
    },
    SkeinDefects: {
      title: 'A bug: commands throw exceptions',
      figure: (value: string | undefined) =>
        `${value} within 15 minutes. Their commands were refused, nothing was lost.`,
      todo: 'Find the entry of level “error” in the log, and report it with the version.',
    },
    SkeinMaintenanceFails: {
      title: 'Maintenance fails',
      figure: (value: string | undefined) => `${value} jobs within half an hour.`,
      todo: 'The log names the job. If it is makePartitions, you have six days until no event can be written.',
    },
    SkeinNodesCutOff: {
      title: 'Nodes hang or are cut off from NATS',
      figure: (value: string | undefined) =>
        value === undefined
          ? 'The node is not connected to NATS, or has no lease.'
          : `${value} leases or memberships have ended by themselves within five minutes.`,
      todo: 'Look at NATS, the network to it, swap, and pauses of the virtual machine. Drain a node that does it again and again.',
    },
    SkeinClockOff: {
      title: 'A clock is wrong',
      figure: (value: string | undefined) =>
        `It is ${value} off the database’s. The node does no maintenance.`,
      todo: 'Synchronise it (chronyc makestep). If all nodes have it, the database’s clock is wrong.',
    },
    SkeinSnapshotOld: {
      title: 'A transaction of the database has been open for hours',
      figure: (value: string | undefined) =>
        `The oldest has been open for ${value}. Meanwhile, the database keeps every version of every changed row.`,
      todo: 'Find it in pg_stat_activity. Wait for a backup or a dump; end a forgotten transaction with pg_terminate_backend.',
    },
    SkeinShardsVacant: {
      title: 'Shards have no owner',
      figure: (value: string | undefined) => `${value} of them. Their threads wait, and get 503.`,
      todo: 'Start nodes, and fix NATS: it needs JetStream. The shards are taken over within seconds.',
    },
    SkeinQuotasAlone: {
      title: 'Nodes enforce rate limits alone',
      figure: (value: string | undefined) => `${value} questions without an answer within five minutes.`,
      todo: 'The owner of the buckets is busy or gone: look at the nodes, and at NATS.',
    },
    SkeinWebhooksLate: {
      title: 'Webhooks leave late',
      figure: (value: string | undefined) => `Half of them begin ${value} or more after their events.`,
      todo: 'Does work wait for the queue “deliveries”? Receivers do not answer. If not, the node is busy or its commits are slow.',
    },
    SkeinPoolsFull: {
      title: 'A pool is full',
      figure: (value: string | undefined) => `${value} wait, for a minute now.`,
      todo: 'Which one is in the table of pools: receivers and tools that are slow, or slow reads of the database.',
    },
    SkeinModelsFail: {
      title: 'Models fail at their providers',
      figure: (value: string | undefined) => `${value} of the questions of the last ten minutes.`,
      todo: 'Look at the provider’s status page, and whether this machine reaches it at all.',
    },
    SkeinChatappFails: {
      title: 'The chat provider fails',
      figure: (value: string | undefined) =>
        `${value} of its calls of the last ten minutes got no answer, or one that it has failed. Messages wait.`,
      todo: 'Does this machine reach it? Check DNS, outbound traffic and the proxy. If the provider has an outage, wait: queued messages are sent automatically.',
    },
    SkeinTokensExpire: {
      title: 'The token of a chatapp channel ends',
      figure: (value: string | undefined) => `In ${value}. Its messages stop with it.`,
      todo: 'Its owners were mailed: have them connect the channel again.',
    },
    SkeinMailsFail: {
      title: 'Mail does not go out',
      figure: (value: string | undefined) =>
        `${value} of the attempts of the last half hour failed at the mail server. Mails wait, and are sent when it works again.`,
      todo: 'Is the mail server of SMTP_URL up, and are its name, port and password right? The log says “could not send mail”, and why.',
    },
    SkeinSecretsUnreadable: {
      title: 'Stored secrets cannot be read',
      figure: (value: string | undefined) =>
        `${value} times within 15 minutes. Webhooks, models, tools, mails or channels that need them fail.`,
      todo: 'Is a key missing in SECRET_KEYS of a node? Put it back, on all nodes, and start them anew.',
    },
  },
  nodes: {
    title: 'Nodes',
    node: 'Node',
    asked: 'serves this page',
    state: 'State',
    states: {
      ok: 'Serving',
      starting: 'Starting',
      joining: 'Joining',
      draining: 'Draining',
      failed: 'Not serving',
      silent: 'Unknown',
    },
    release: 'Release',
    up: 'Up for',
    lease: 'Lease',
    memory: 'Memory',
    delay: 'Event loop, p99',
    shards: 'Shards',
    actors: 'Actors',
    commands: 'Commands',
    deepest: 'Deepest mailbox',
    commits: 'Commits, 5 min',
    commitP99: 'Commit, p99',
    refused: 'Refused',
    tasks: 'Tasks running / waiting',
    asks: 'Requests to other nodes',
    failedChecks: (checks: string) => `fails: ${checks}`,
  },
  shards: {
    title: 'Shards and moves',
    all: 'Shards',
    vacant: 'Without an owner',
    moving: 'Moving now',
    shard: 'Shard',
    state: 'State',
    states: {
      vacant: 'has no owner',
      claiming: 'is being claimed',
      taking: 'is being taken',
      'handing over': 'is handed over',
      leaving: 'is given up',
    },
    by: 'Reported by',
    owner: 'Owner',
    desired: 'Target',
    moves: 'Moves of the last 15 minutes',
    none: 'No shard has moved in the last 15 minutes.',
    takeover: (shards: number, to: string, from: string) =>
      `${to} took ${shards === 1 ? 'one shard' : `${shards} shards`} over from ${from}, which was no member any more`,
    handover: (shards: number, to: string, from: string) =>
      `${from} handed ${shards === 1 ? 'one shard' : `${shards} shards`} over to ${to}`,
    somebody: 'a node',
  },
  actors: {
    title: 'Fullest mailboxes',
    actor: 'Actor',
    kind: 'Kind',
    node: 'Node',
    commands: 'Commands',
    committing: 'Oldest commit',
    none: 'No actor has waiting commands.',
  },
  stitches: {
    title: 'Lagging webhooks',
    stitch: 'Webhook',
    project: 'Project',
    environment: 'Environment',
    status: 'Status',
    statuses: { active: 'active', disabled: 'disabled', error: 'stopped' },
    lag: 'Events behind',
    oldest: 'Oldest open delivery',
    none: 'No webhook is lagging.',
  },
  refusals: {
    title: 'Refused commits',
    reason: 'Reason',
    reasons: {
      fenced: 'another node had written the actor: normal around a takeover',
      duplicate: 'a key or name was taken: normal for repeated requests',
      limit: 'the tenant’s limit is reached',
      unavailable: 'the database was not available',
      error: 'an error: see the log',
    },
    recent: '5 minutes',
    total: 'Since the start',
    none: 'No commits refused since the nodes started.',
  },
  deadLetters: {
    title: 'Dead letters',
    kind: 'Kind',
    actor: 'Actor',
    name: 'What',
    error: 'Error',
    attempts: 'Attempts',
    at: 'Given up',
    actions: 'Actions',
    actionsOf: (name: string, actor: string) => `Actions for ${name} of ${actor}`,
    run: 'Run again',
    delete: 'Delete without running',
    kept: (count: string) => `${count} in total. The newest:`,
    none: 'No dead letters.',
  },
  base: {
    title: 'Database and NATS',
    database: 'PostgreSQL',
    roundTrip: 'Round trip',
    connections: 'Connections',
    locks: 'Waiting for locks',
    transaction: 'Longest transaction',
    nats: 'NATS',
    connected: 'connected',
    away: 'not connected',
    standalone: 'none: one node alone',
    pools: 'Pools',
    pool: 'Pool',
    node: 'Node',
    busy: 'Busy',
    waiting: 'Waiting',
  },
  never: '–',
};

export type SystemTexts = typeof system;
