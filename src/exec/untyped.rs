//! A parameter whose type the server can't tell from its statement.

use crate::id::SlotId;
use crate::pg::ServerError;
use crate::plan::Plan;

/// The conditions `indeterminate_datatype` and `ambiguous_parameter`, by which the server refuses such a statement.
const CONDITIONS: [&[u8; 5]; 2] = [b"42P18", b"42P08"];

/// What to do about the parameter that an error of the server is about; `None` where it is about something else.
///
/// `parameters` are the variables behind `$1`, `$2`, … of the statement. The message names one of them so, whatever
/// language it is in.
pub fn untyped_parameter(error: &ServerError, parameters: &[SlotId], plan: &Plan) -> Option<String> {
    if !CONDITIONS.contains(&&error.sqlstate) {
        return None;
    }
    let (_, number) = error.message.rsplit_once('$')?;
    let digits = number.bytes().take_while(u8::is_ascii_digit).count();
    let index = number[..digits].parse::<usize>().ok()?.checked_sub(1)?;
    let name = &plan.slots.get(parameters.get(index)?.index())?.name;
    Some(format!("say its type, as in `:{name}::text`"))
}
