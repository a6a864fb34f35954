//! The take-over: nothing of what the server sends is lost, and nothing is sent that nobody asked for.

use reprise::pg::{Error, OpenOptions, Opened, open};
use tokio::io::AsyncReadExt;

use crate::fake::{message, ready, serve, target, welcome};

/// All that the session can still read.
async fn rest(mut opened: Opened) -> Vec<u8> {
    let mut rest = std::mem::take(&mut opened.unread);
    opened.stream.read_to_end(&mut rest).await.unwrap();
    rest
}

#[tokio::test]
async fn what_comes_together_with_the_first_ready_for_query_is_still_there() {
    let behind = [
        message(b'S', b"in_hot_standby\0on\0"),
        message(b'E', b"SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0"),
    ]
    .concat();
    let notice = message(b'N', b"SNOTICE\0VNOTICE\0C00000\0Mhello\0\0");
    let greeting = [welcome("15.1"), notice, ready(), behind.clone()].concat();
    let (address, task) = serve(vec![greeting], Vec::new()).await;
    let opened = open(&target(address, ""), &OpenOptions::default()).await.unwrap();
    assert_eq!((opened.pid, opened.server_version_num), (7, 150_001));
    assert_eq!(opened.parameters, [("server_version".to_owned(), "15.1".to_owned())]);
    assert_eq!(opened.notices[0].message, "hello");
    assert_eq!(rest(opened).await, behind);
    // no Terminate: the session was taken over, not ended
    assert_eq!(task.await.unwrap(), b"");
}

#[tokio::test]
async fn a_server_that_reports_too_little_is_asked_what_it_is() {
    let row = |value: &str| {
        let value = value.as_bytes();
        let length = u32::try_from(value.len()).unwrap();
        [message(b'D', &[&[0, 1], &length.to_be_bytes()[..], value].concat()), message(b'C', b"SHOW\0"), ready()]
            .concat()
    };
    for (answer, taken) in [("off", true), ("on", false)] {
        let (address, _task) = serve(vec![[welcome("13.9"), ready()].concat()], vec![row(answer)]).await;
        let opened = open(&target(address, "target_session_attrs=read-write"), &OpenOptions::default()).await;
        match opened {
            Ok(opened) => assert!(taken && rest(opened).await.is_empty()),
            Err(error) => assert!(!taken && matches!(error, Error::Attributes { .. }), "{error}"),
        }
    }
}

#[tokio::test]
async fn what_is_no_postgresql_server_is_said_to_be_none() {
    let (address, _task) = serve(vec![b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec()], Vec::new()).await;
    let error = open(&target(address, ""), &OpenOptions::default()).await.unwrap_err();
    assert!(matches!(error, Error::Protocol(_)), "{error:?}");
}

#[tokio::test]
async fn a_server_that_hangs_up_is_a_lost_connection() {
    let (address, _task) = serve(vec![welcome("15.1")], Vec::new()).await;
    let error = open(&target(address, ""), &OpenOptions::default()).await.unwrap_err();
    assert!(matches!(error, Error::Io(_)), "{error:?}");
}
