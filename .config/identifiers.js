/**
 * Lint rules for words. `denied-identifiers` keeps names out that readers did not understand, word for word, and says what to write
 * instead. `say-which` asks functions called `...Of` to say what they do, and `no-packed-properties` keeps `...{ a, b }` out of object
 * literals. docs/develop/glossary.md explains the words that the product has of its own.
 */

/** Denied name -> what to write instead. */
export const denied = {
  ActMark: 'AuditContext',
  Birth: 'createIfMissing',
  Blotter: 'Redactor',
  Company: 'ClusterRuntime',
  Deed: 'AuditContext',
  Desk: 'AgentHandling',
  Doing: 'AuditContext',
  Gathered: 'BatchLoader',
  Glimpse: 'EphemeralEvent',
  Household: 'Maintenance',
  LookUps: 'TtlCache',
  MediaPlace: 'MediaLocation',
  ModelThread: 'ModelWorker',
  Patience: 'RetryPolicy or ModelTimeout',
  Patrol: 'RecoveryScanner',
  Purse: 'BucketLease',
  Residents: 'ActivationTable',
  Stretch: 'BoundedScan',
  Summoner: 'AgentDispatcher',
  Tariff: 'RatePolicy',
  Territory: 'LocalShards',
  Thinker: 'ModelStep',
  Till: 'BucketClient',
  UnderWay: 'InFlight',
  WaitingLine: 'ParkedRequests',
  Walk: 'BoundedScan',
  Walks: 'BoundedScan',
  familyOf: 'toShardKey',
  forgive: 'refund',
  furnished: 'prepared',
  furniture: 'fixtures',
  glimpse: 'event',
  keepsHouse: 'isLeader',
  leash: 'processGuard',
  newborn: 'createIfMissing',
  onPaper: 'harness',
  patrol: 'recoveryScanner',
  plants: 'mutants',
  purse: 'bucketLease',
  purses: 'bucketLeases',
  rouse: 'wake',
  summoner: 'agentDispatcher',
  tariff: 'policy',
  territory: 'localShards',
  toll: 'charge',
};

/** Names of the past without one successor each: say what the thing is in the field's words. */
const deniedWithoutSuccessor = new Set([
  'Circumstances',
  'ClusterHost',
  'ClusterPicture',
  'DraftedEvent',
  'EveryShard',
  'Fallen',
  'FoundSeat',
  'KeyHash',
  'LaneMark',
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
  'Seat',
  'ShardPicture',
  'ShardsSeen',
  'StoredDesk',
  'SummonAgent',
  'Tariffs',
  'ThinkTask',
  'Thought',
  'asItWas',
  'birthKey',
  'buryLetter',
  'canBeWary',
  'checkBirth',
  'circumstances',
  'comeHome',
  'decodeNews',
  'deedOf',
  'doingOf',
  'doneWithin',
  'dryUntil',
  'encodeBehind',
  'fateOf',
  'forgetWhere',
  'heardBehind',
  'hurry',
  'isPassing',
  'isPuzzled',
  'longestWalk',
  'lookAgain',
  'lull',
  'mayHaveStrays',
  'nextLook',
  'noDesk',
  'outlive',
  'ownerTeller',
  'patiently',
  'pauseUnless',
  'placeOfThread',
  'recordDeed',
  'recordDoing',
  'recordOwnAct',
  'relayBy',
  'sandboxesOf',
  'seatsAfter',
  'secondLookMs',
  'showPurses',
  'storedDesk',
  'stretchOf',
  'summoned',
  'surrender',
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
  'wary',
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
