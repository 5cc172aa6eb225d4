"""No id of a person, group or room reaches the model, whatever it is made of: prompts, indexes, what tools return."""

from shared.agent.model import Content, FunctionResponse, FunctionResponses, MixedContent, ModelContent, TextContent
from shared.line.masking import mask_ids, mask_ids_in


def masked(content: Content) -> Content:
    """Return the content with every id as `[ID]`; the model's own contents are echoed as they came."""
    match content:
        case TextContent():
            return TextContent(role=content.role, texts=tuple(map(mask_ids, content.texts)))
        case MixedContent():
            return MixedContent(parts=tuple(mask_ids(one) if isinstance(one, str) else one for one in content.parts))
        case FunctionResponses():
            return FunctionResponses(
                responses=tuple(
                    FunctionResponse(call=one.call, response=mask_ids_in(one.response)) for one in content.responses
                )
            )
        case ModelContent():
            return content
