"""The adapters' part of line-bot-sdk: the models of the messages and answers of the product's calls.

An import of `linebot.v3.messaging` brings along three further clients and two hundred models: 44 MB and 0.7 s of CPU time; this part
takes a tenth (docs/adr/20261122-cold-starts.md).
"""

from shared.adapters.partial_imports import postpone

postpone("linebot", "linebot.v3", "linebot.v3.messaging", "linebot.v3.messaging.models")

from linebot.v3.messaging.models.action import Action
from linebot.v3.messaging.models.buttons_template import ButtonsTemplate
from linebot.v3.messaging.models.get_webhook_endpoint_response import GetWebhookEndpointResponse
from linebot.v3.messaging.models.group_member_count_response import GroupMemberCountResponse
from linebot.v3.messaging.models.group_summary_response import GroupSummaryResponse
from linebot.v3.messaging.models.group_user_profile_response import GroupUserProfileResponse
from linebot.v3.messaging.models.mark_messages_as_read_by_token_request import MarkMessagesAsReadByTokenRequest
from linebot.v3.messaging.models.message import Message
from linebot.v3.messaging.models.message_action import MessageAction
from linebot.v3.messaging.models.message_quota_response import MessageQuotaResponse
from linebot.v3.messaging.models.postback_action import PostbackAction
from linebot.v3.messaging.models.push_message_request import PushMessageRequest
from linebot.v3.messaging.models.push_message_response import PushMessageResponse
from linebot.v3.messaging.models.quick_reply import QuickReply
from linebot.v3.messaging.models.quick_reply_item import QuickReplyItem
from linebot.v3.messaging.models.quota_consumption_response import QuotaConsumptionResponse
from linebot.v3.messaging.models.quota_type import QuotaType
from linebot.v3.messaging.models.reply_message_request import ReplyMessageRequest
from linebot.v3.messaging.models.reply_message_response import ReplyMessageResponse
from linebot.v3.messaging.models.room_member_count_response import RoomMemberCountResponse
from linebot.v3.messaging.models.room_user_profile_response import RoomUserProfileResponse
from linebot.v3.messaging.models.show_loading_animation_request import ShowLoadingAnimationRequest
from linebot.v3.messaging.models.template_message import TemplateMessage
from linebot.v3.messaging.models.test_webhook_endpoint_request import TestWebhookEndpointRequest
from linebot.v3.messaging.models.test_webhook_endpoint_response import TestWebhookEndpointResponse
from linebot.v3.messaging.models.text_message import TextMessage
from linebot.v3.messaging.models.uri_action import URIAction
from linebot.v3.messaging.models.user_profile_response import UserProfileResponse

__all__ = [
    "Action",
    "ButtonsTemplate",
    "GetWebhookEndpointResponse",
    "GroupMemberCountResponse",
    "GroupSummaryResponse",
    "GroupUserProfileResponse",
    "MarkMessagesAsReadByTokenRequest",
    "Message",
    "MessageAction",
    "MessageQuotaResponse",
    "PostbackAction",
    "PushMessageRequest",
    "PushMessageResponse",
    "QuickReply",
    "QuickReplyItem",
    "QuotaConsumptionResponse",
    "QuotaType",
    "ReplyMessageRequest",
    "ReplyMessageResponse",
    "RoomMemberCountResponse",
    "RoomUserProfileResponse",
    "ShowLoadingAnimationRequest",
    "TemplateMessage",
    "TestWebhookEndpointRequest",
    "TestWebhookEndpointResponse",
    "TextMessage",
    "URIAction",
    "UserProfileResponse",
]
