"""TCP variants in mobile ad hoc networks (Shivaranjani, Kameswaran): seven senders against errors, speed and load."""
