"""Post-processing that programs share: pure functions of noisy answers and public randomness."""
