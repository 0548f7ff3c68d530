// Original file: protocol/internal.proto

export const ActorType = {
  ACTOR_TYPE_UNSPECIFIED: 'ACTOR_TYPE_UNSPECIFIED',
  ACTOR_TYPE_CONTACT: 'ACTOR_TYPE_CONTACT',
  ACTOR_TYPE_USER: 'ACTOR_TYPE_USER',
  ACTOR_TYPE_AGENT: 'ACTOR_TYPE_AGENT',
  ACTOR_TYPE_API_KEY: 'ACTOR_TYPE_API_KEY',
  /**
   * With an id: the internal service of that name.
   */
  ACTOR_TYPE_SYSTEM: 'ACTOR_TYPE_SYSTEM',
} as const;

export type ActorType =
  | 'ACTOR_TYPE_UNSPECIFIED'
  | 0
  | 'ACTOR_TYPE_CONTACT'
  | 1
  | 'ACTOR_TYPE_USER'
  | 2
  | 'ACTOR_TYPE_AGENT'
  | 3
  | 'ACTOR_TYPE_API_KEY'
  | 4
  /**
   * With an id: the internal service of that name.
   */
  | 'ACTOR_TYPE_SYSTEM'
  | 5

export type ActorType__Output = typeof ActorType[keyof typeof ActorType]
