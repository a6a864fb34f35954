//! Condition names → SQLSTATEs, as the appendix "PostgreSQL Error Codes" of the manual lists them.

/// The conditions that a transaction may want to try again, and their neighbors.
const CONDITIONS: [(&str, &[u8; 5]); 79] = [
    ("connection_exception", b"08000"),
    ("connection_does_not_exist", b"08003"),
    ("connection_failure", b"08006"),
    ("sqlclient_unable_to_establish_sqlconnection", b"08001"),
    ("sqlserver_rejected_establishment_of_sqlconnection", b"08004"),
    ("transaction_resolution_unknown", b"08007"),
    ("protocol_violation", b"08P01"),
    ("no_data_found", b"P0002"),
    ("raise_exception", b"P0001"),
    ("too_many_rows", b"P0003"),
    ("assert_failure", b"P0004"),
    ("cardinality_violation", b"21000"),
    ("data_exception", b"22000"),
    ("division_by_zero", b"22012"),
    ("numeric_value_out_of_range", b"22003"),
    ("string_data_right_truncation", b"22001"),
    ("invalid_text_representation", b"22P02"),
    ("integrity_constraint_violation", b"23000"),
    ("restrict_violation", b"23001"),
    ("not_null_violation", b"23502"),
    ("foreign_key_violation", b"23503"),
    ("unique_violation", b"23505"),
    ("check_violation", b"23514"),
    ("exclusion_violation", b"23P01"),
    ("invalid_cursor_state", b"24000"),
    ("invalid_transaction_state", b"25000"),
    ("active_sql_transaction", b"25001"),
    ("read_only_sql_transaction", b"25006"),
    ("no_active_sql_transaction", b"25P01"),
    ("in_failed_sql_transaction", b"25P02"),
    ("idle_in_transaction_session_timeout", b"25P03"),
    ("transaction_timeout", b"25P04"),
    ("invalid_sql_statement_name", b"26000"),
    ("invalid_authorization_specification", b"28000"),
    ("invalid_password", b"28P01"),
    ("transaction_rollback", b"40000"),
    ("transaction_integrity_constraint_violation", b"40002"),
    ("serialization_failure", b"40001"),
    ("statement_completion_unknown", b"40003"),
    ("deadlock_detected", b"40P01"),
    ("syntax_error_or_access_rule_violation", b"42000"),
    ("syntax_error", b"42601"),
    ("insufficient_privilege", b"42501"),
    ("undefined_column", b"42703"),
    ("undefined_function", b"42883"),
    ("undefined_table", b"42P01"),
    ("undefined_object", b"42704"),
    ("duplicate_table", b"42P07"),
    ("duplicate_object", b"42710"),
    ("duplicate_prepared_statement", b"42P05"),
    ("insufficient_resources", b"53000"),
    ("disk_full", b"53100"),
    ("out_of_memory", b"53200"),
    ("too_many_connections", b"53300"),
    ("configuration_limit_exceeded", b"53400"),
    ("program_limit_exceeded", b"54000"),
    ("statement_too_complex", b"54001"),
    ("too_many_columns", b"54011"),
    ("too_many_arguments", b"54023"),
    ("object_not_in_prerequisite_state", b"55000"),
    ("object_in_use", b"55006"),
    ("cant_change_runtime_param", b"55P02"),
    ("lock_not_available", b"55P03"),
    ("unsafe_new_enum_value_usage", b"55P04"),
    ("operator_intervention", b"57000"),
    ("query_canceled", b"57014"),
    ("admin_shutdown", b"57P01"),
    ("crash_shutdown", b"57P02"),
    ("cannot_connect_now", b"57P03"),
    ("database_dropped", b"57P04"),
    ("idle_session_timeout", b"57P05"),
    ("system_error", b"58000"),
    ("io_error", b"58030"),
    ("undefined_file", b"58P01"),
    ("duplicate_file", b"58P02"),
    ("config_file_error", b"F0000"),
    ("internal_error", b"XX000"),
    ("data_corrupted", b"XX001"),
    ("index_corrupted", b"XX002"),
];

/// The SQLSTATE of a condition; a SQLSTATE stands for itself.
pub(super) fn sqlstate(name: &str) -> Option<[u8; 5]> {
    if let Some((_, state)) = CONDITIONS.iter().find(|(known, _)| *known == name) {
        return Some(**state);
    }
    let bytes: [u8; 5] = name.as_bytes().try_into().ok()?;
    let looks_like_one = bytes.iter().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase());
    looks_like_one.then_some(bytes)
}

/// The names that there are.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    CONDITIONS.iter().map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::sqlstate;

    #[test]
    fn names_and_states_are_understood() {
        assert_eq!(sqlstate("deadlock_detected"), Some(*b"40P01"));
        assert_eq!(sqlstate("40001"), Some(*b"40001"));
        assert_eq!(sqlstate("dedlock"), None);
    }
}
