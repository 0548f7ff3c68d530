import type * as grpc from '@grpc/grpc-js';
import type { EnumTypeDefinition, MessageTypeDefinition } from '@grpc/proto-loader';

import type { Any as _google_protobuf_Any, Any__Output as _google_protobuf_Any__Output } from './google/protobuf/Any.ts';
import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from './google/protobuf/Duration.ts';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from './google/protobuf/Timestamp.ts';
import type { BadRequest as _google_rpc_BadRequest, BadRequest__Output as _google_rpc_BadRequest__Output } from './google/rpc/BadRequest.ts';
import type { ErrorInfo as _google_rpc_ErrorInfo, ErrorInfo__Output as _google_rpc_ErrorInfo__Output } from './google/rpc/ErrorInfo.ts';
import type { RequestInfo as _google_rpc_RequestInfo, RequestInfo__Output as _google_rpc_RequestInfo__Output } from './google/rpc/RequestInfo.ts';
import type { RetryInfo as _google_rpc_RetryInfo, RetryInfo__Output as _google_rpc_RetryInfo__Output } from './google/rpc/RetryInfo.ts';
import type { Status as _google_rpc_Status, Status__Output as _google_rpc_Status__Output } from './google/rpc/Status.ts';
import type { Actor as _skein_internal_v1_Actor, Actor__Output as _skein_internal_v1_Actor__Output } from './skein/internal/v1/Actor.ts';
import type { Attachment as _skein_internal_v1_Attachment, Attachment__Output as _skein_internal_v1_Attachment__Output } from './skein/internal/v1/Attachment.ts';
import type { ConversationsClient as _skein_internal_v1_ConversationsClient, ConversationsDefinition as _skein_internal_v1_ConversationsDefinition } from './skein/internal/v1/Conversations.ts';
import type { Cursor as _skein_internal_v1_Cursor, Cursor__Output as _skein_internal_v1_Cursor__Output } from './skein/internal/v1/Cursor.ts';
import type { GetThreadRequest as _skein_internal_v1_GetThreadRequest, GetThreadRequest__Output as _skein_internal_v1_GetThreadRequest__Output } from './skein/internal/v1/GetThreadRequest.ts';
import type { GetThreadResponse as _skein_internal_v1_GetThreadResponse, GetThreadResponse__Output as _skein_internal_v1_GetThreadResponse__Output } from './skein/internal/v1/GetThreadResponse.ts';
import type { IngestMessageRequest as _skein_internal_v1_IngestMessageRequest, IngestMessageRequest__Output as _skein_internal_v1_IngestMessageRequest__Output } from './skein/internal/v1/IngestMessageRequest.ts';
import type { IngestMessageResponse as _skein_internal_v1_IngestMessageResponse, IngestMessageResponse__Output as _skein_internal_v1_IngestMessageResponse__Output } from './skein/internal/v1/IngestMessageResponse.ts';
import type { IngestMessagesRequest as _skein_internal_v1_IngestMessagesRequest, IngestMessagesRequest__Output as _skein_internal_v1_IngestMessagesRequest__Output } from './skein/internal/v1/IngestMessagesRequest.ts';
import type { IngestMessagesResponse as _skein_internal_v1_IngestMessagesResponse, IngestMessagesResponse__Output as _skein_internal_v1_IngestMessagesResponse__Output } from './skein/internal/v1/IngestMessagesResponse.ts';
import type { Message as _skein_internal_v1_Message, Message__Output as _skein_internal_v1_Message__Output } from './skein/internal/v1/Message.ts';
import type { SendMessageRequest as _skein_internal_v1_SendMessageRequest, SendMessageRequest__Output as _skein_internal_v1_SendMessageRequest__Output } from './skein/internal/v1/SendMessageRequest.ts';
import type { SendMessageResponse as _skein_internal_v1_SendMessageResponse, SendMessageResponse__Output as _skein_internal_v1_SendMessageResponse__Output } from './skein/internal/v1/SendMessageResponse.ts';
import type { ServiceWindow as _skein_internal_v1_ServiceWindow, ServiceWindow__Output as _skein_internal_v1_ServiceWindow__Output } from './skein/internal/v1/ServiceWindow.ts';
import type { SubscribeEventsRequest as _skein_internal_v1_SubscribeEventsRequest, SubscribeEventsRequest__Output as _skein_internal_v1_SubscribeEventsRequest__Output } from './skein/internal/v1/SubscribeEventsRequest.ts';
import type { SubscribeEventsResponse as _skein_internal_v1_SubscribeEventsResponse, SubscribeEventsResponse__Output as _skein_internal_v1_SubscribeEventsResponse__Output } from './skein/internal/v1/SubscribeEventsResponse.ts';
import type { Thread as _skein_internal_v1_Thread, Thread__Output as _skein_internal_v1_Thread__Output } from './skein/internal/v1/Thread.ts';
import type { WatchShardsRequest as _skein_internal_v1_WatchShardsRequest, WatchShardsRequest__Output as _skein_internal_v1_WatchShardsRequest__Output } from './skein/internal/v1/WatchShardsRequest.ts';
import type { WatchShardsResponse as _skein_internal_v1_WatchShardsResponse, WatchShardsResponse__Output as _skein_internal_v1_WatchShardsResponse__Output } from './skein/internal/v1/WatchShardsResponse.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  google: {
    protobuf: {
      Any: MessageTypeDefinition<_google_protobuf_Any, _google_protobuf_Any__Output>
      Duration: MessageTypeDefinition<_google_protobuf_Duration, _google_protobuf_Duration__Output>
      Timestamp: MessageTypeDefinition<_google_protobuf_Timestamp, _google_protobuf_Timestamp__Output>
    }
    rpc: {
      BadRequest: MessageTypeDefinition<_google_rpc_BadRequest, _google_rpc_BadRequest__Output>
      ErrorInfo: MessageTypeDefinition<_google_rpc_ErrorInfo, _google_rpc_ErrorInfo__Output>
      RequestInfo: MessageTypeDefinition<_google_rpc_RequestInfo, _google_rpc_RequestInfo__Output>
      RetryInfo: MessageTypeDefinition<_google_rpc_RetryInfo, _google_rpc_RetryInfo__Output>
      Status: MessageTypeDefinition<_google_rpc_Status, _google_rpc_Status__Output>
    }
  }
  skein: {
    internal: {
      v1: {
        Actor: MessageTypeDefinition<_skein_internal_v1_Actor, _skein_internal_v1_Actor__Output>
        ActorType: EnumTypeDefinition
        AgentMode: EnumTypeDefinition
        Attachment: MessageTypeDefinition<_skein_internal_v1_Attachment, _skein_internal_v1_Attachment__Output>
        AttachmentKind: EnumTypeDefinition
        AttachmentStatus: EnumTypeDefinition
        Conversations: SubtypeConstructor<typeof grpc.Client, _skein_internal_v1_ConversationsClient> & { service: _skein_internal_v1_ConversationsDefinition }
        Cursor: MessageTypeDefinition<_skein_internal_v1_Cursor, _skein_internal_v1_Cursor__Output>
        Direction: EnumTypeDefinition
        GetThreadRequest: MessageTypeDefinition<_skein_internal_v1_GetThreadRequest, _skein_internal_v1_GetThreadRequest__Output>
        GetThreadResponse: MessageTypeDefinition<_skein_internal_v1_GetThreadResponse, _skein_internal_v1_GetThreadResponse__Output>
        IngestMessageRequest: MessageTypeDefinition<_skein_internal_v1_IngestMessageRequest, _skein_internal_v1_IngestMessageRequest__Output>
        IngestMessageResponse: MessageTypeDefinition<_skein_internal_v1_IngestMessageResponse, _skein_internal_v1_IngestMessageResponse__Output>
        IngestMessagesRequest: MessageTypeDefinition<_skein_internal_v1_IngestMessagesRequest, _skein_internal_v1_IngestMessagesRequest__Output>
        IngestMessagesResponse: MessageTypeDefinition<_skein_internal_v1_IngestMessagesResponse, _skein_internal_v1_IngestMessagesResponse__Output>
        Message: MessageTypeDefinition<_skein_internal_v1_Message, _skein_internal_v1_Message__Output>
        MessageStatus: EnumTypeDefinition
        SendMessageRequest: MessageTypeDefinition<_skein_internal_v1_SendMessageRequest, _skein_internal_v1_SendMessageRequest__Output>
        SendMessageResponse: MessageTypeDefinition<_skein_internal_v1_SendMessageResponse, _skein_internal_v1_SendMessageResponse__Output>
        ServiceWindow: MessageTypeDefinition<_skein_internal_v1_ServiceWindow, _skein_internal_v1_ServiceWindow__Output>
        SubscribeEventsRequest: MessageTypeDefinition<_skein_internal_v1_SubscribeEventsRequest, _skein_internal_v1_SubscribeEventsRequest__Output>
        SubscribeEventsResponse: MessageTypeDefinition<_skein_internal_v1_SubscribeEventsResponse, _skein_internal_v1_SubscribeEventsResponse__Output>
        Thread: MessageTypeDefinition<_skein_internal_v1_Thread, _skein_internal_v1_Thread__Output>
        ThreadStatus: EnumTypeDefinition
        WatchShardsRequest: MessageTypeDefinition<_skein_internal_v1_WatchShardsRequest, _skein_internal_v1_WatchShardsRequest__Output>
        WatchShardsResponse: MessageTypeDefinition<_skein_internal_v1_WatchShardsResponse, _skein_internal_v1_WatchShardsResponse__Output>
      }
    }
  }
}

