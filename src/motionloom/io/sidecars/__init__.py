"""Files beside a clip: labels, roles, licence and origin."""
