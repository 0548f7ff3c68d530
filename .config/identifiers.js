/**
 * Lint rules for words. `denied-identifiers` keeps names out that readers did not understand, word for word, and says what to write
 * instead. `say-which` asks functions called `...Of` to say what they do, and `no-packed-properties` keeps `...{ a, b }` out of object
 * literals. docs/develop/glossary.md explains the words that the product has of its own.
 */

/** Denied name -> what to write instead. */
export const denied = {
  ActMark: 'AuditContext',
  Beat: 'RecoveryScanner',
  Birth: 'createIfMissing',
  Blotter: 'Redactor',
  Company: 'ClusterRuntime',
  Deed: 'AuditContext',
  Desk: 'AgentHandling',
  Doing: 'AuditContext',
  Draft: 'DecisionBuilder',
  Feed: 'ProjectStream',
  Gathered: 'BatchLoader',
  Glimpse: 'EphemeralEvent',
  Household: 'Maintenance',
  Lane: 'CommitLane or TaskQueue',
  Loader: 'BatchLoader',
  LookUps: 'TtlCache',
  MediaPlace: 'MediaLocation',
  ModelThread: 'ModelWorker',
  News: 'CommitNotifier',
  OnPaper: 'harness',
  Pace: 'Throttle',
  Patience: 'RetryPolicy or ModelTimeout',
  Patrol: 'RecoveryScanner',
  Place: 'TenantScope',
  Places: 'TenantResolver or FairSemaphore',
  Purse: 'BucketLease',
  Residents: 'ActivationTable',
  Stretch: 'BoundedScan',
  Summoner: 'AgentDispatcher',
  Sweep: 'ConnectionReaper',
  Tariff: 'RatePolicy',
  Territory: 'LocalShards',
  Thinker: 'ModelStep',
  Till: 'BucketClient',
  UnderWay: 'InFlight',
  WaitingLine: 'ParkedRequests',
  Walk: 'BoundedScan',
  Walks: 'BoundedScan',
  World: 'Fixture or Simulation',
  face: 'api',
  familyOf: 'toShardKey',
  flying: 'inFlight',
  forgive: 'refund',
  furnished: 'prepared',
  furniture: 'fixtures',
  glimpse: 'event',
  inPlace: 'inOwnProject',
  judged: 'answerDecided',
  keepsHouse: 'isLeader',
  landed: 'acknowledged',
  laws: 'invariants',
  leash: 'processGuard',
  newborn: 'createIfMissing',
  onPaper: 'harness',
  patience: 'timeout',
  patienceMs: 'timeoutMs',
  patrol: 'recoveryScanner',
  plants: 'mutants',
  pour: 'pipeBody',
  purse: 'bucketLease',
  purses: 'bucketLeases',
  rouse: 'wake',
  stranger: 'anonymous or outsider',
  summoner: 'agentDispatcher',
  surrender: 'takeResponse',
  tariff: 'policy',
  territory: 'localShards',
  toll: 'charge',
  wary: 'conflictAware',
  world: 'fixture or simulation',
};

/** Names of the past without one successor each: say what the thing is in the field's words. */
const deniedWithoutSuccessor = new Set([
  'Circumstances',
  'ClusterHost',
  'ClusterPicture',
  'DraftedEvent',
  'EveryShard',
  'Exchange',
  'Exhausted',
  'Fallen',
  'Fate',
  'FoundSeat',
  'KeyHash',
  'LaneMark',
  'Ledger',
  'NewsListener',
  'NewsMessage',
  'NewsRelay',
  'NodePicture',
  'Orphans',
  'Outflow',
  'OwnerNews',
  'PlaceOf',
  'Purses',
  'RunDraft',
  'Scene',
  'Seat',
  'ShardPicture',
  'ShardsSeen',
  'Standing',
  'StoredDesk',
  'SummonAgent',
  'Tariffs',
  'ThinkTask',
  'Thought',
  'Weather',
  'alone',
  'apart',
  'asItWas',
  'asker',
  'birthKey',
  'buryLetter',
  'canBeWary',
  'checkBirth',
  'circumstances',
  'comeHome',
  'decodeNews',
  'deed',
  'deedOf',
  'doingOf',
  'doneWithin',
  'dry',
  'dryUntil',
  'encodeBehind',
  'fallen',
  'fateOf',
  'feed',
  'forgetWhere',
  'glimpses',
  'heardBehind',
  'household',
  'hurry',
  'isPassing',
  'isPuzzled',
  'longestWalk',
  'lookAgain',
  'lull',
  'markOf',
  'mayHaveStrays',
  'nextLook',
  'noDesk',
  'outlive',
  'ownerTeller',
  'patiently',
  'patrols',
  'pauseUnless',
  'placeOfThread',
  'recordDeed',
  'recordDoing',
  'recordOwnAct',
  'relayBy',
  'roused',
  'sandboxesOf',
  'seatsAfter',
  'secondLookMs',
  'showPurses',
  'stocked',
  'storedDesk',
  'stretchOf',
  'summoned',
  'takeOffThreads',
  'tellDropped',
  'thinker',
  'thoughtOf',
  'threadsOfSeat',
  'toldToThread',
  'tollUnrouted',
  'tolled',
  'unstorable',
  'walkStatement',
  'waryMs',
]);

/** @type {import('eslint').Rule.RuleModule} */
const deniedIdentifiers = {
  meta: { type: 'suggestion', schema: [] },
  create(context) {
    const check = node => {
      if (Object.hasOwn(denied, node.name)) {
        context.report({
          node,
          message: `'${node.name}' is not a word of the field: write ${denied[node.name]}.`,
        });
      } else if (deniedWithoutSuccessor.has(node.name)) {
        context.report({
          node,
          message: `'${node.name}' is not a word of the field: say what the thing is.`,
        });
      }
    };
    return { Identifier: check, PrivateIdentifier: check };
  },
};

/** @type {import('eslint').Rule.RuleModule} */
const sayWhich = {
  meta: { type: 'suggestion', schema: [] },
  create(context) {
    const check = (node, isFunction) => {
      if (isFunction && /[a-z]Of$/.test(node.name ?? '')) {
        context.report({
          node,
          message: `'${node.name}': say which it is: createX, getX, toX, parseX, isX.`,
        });
      }
    };
    const isFunction = value => /^(Arrow)?FunctionExpression$/.test(value?.type ?? '');
    return {
      FunctionDeclaration: node => check(node.id ?? {}, true),
      VariableDeclarator: node => check(node.id, isFunction(node.init)),
      MethodDefinition: node => check(node.key, true),
      PropertyDefinition: node => check(node.key, isFunction(node.value)),
      TSMethodSignature: node => check(node.key, true),
    };
  },
};

/** @type {import('eslint').Rule.RuleModule} */
const noPackedProperties = {
  meta: { type: 'suggestion', schema: [] },
  create: context => ({
    'ObjectExpression > SpreadElement > ObjectExpression': node =>
      context.report({ node, message: 'Write the properties themselves, one a line.' }),
  }),
};

export const identifiers = {
  rules: {
    'denied-identifiers': deniedIdentifiers,
    'say-which': sayWhich,
    'no-packed-properties': noPackedProperties,
  },
};
