"""MGD (Li et al.): the weighted mean of AEMC over target marginals, exactly."""
